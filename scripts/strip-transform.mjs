// Jest's transform: removes the types the way Node itself does, so tests run the same code as production.
// It must never change lines or columns: a failure points at the true place in the source.
import { stripTypeScriptTypes } from "node:module";

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
