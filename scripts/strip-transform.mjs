// Jest's transform: removes the types the way Node itself does, so tests run the same code as production.
// It must never change lines or columns: a failure points at the true place in the source.
import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

/** Jest's own key has each suite's settings in it, so every run of `.ci/run` would strip all files again. */
const getCacheKey = (source) => createHash("sha256").update(process.version).update(source).digest("hex");

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }), getCacheKey };
