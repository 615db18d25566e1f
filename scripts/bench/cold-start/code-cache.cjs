// Loads the files of a bundle through caches of their compiled code, which SIGUSR2 makes it write.
// It must never use a cache of other bytes: V8 compares no more than the length, so the cache carries the content's hash in its name.
const { createHash } = require("node:crypto");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

const scripts = new Map();
const loadPlainly = Module._extensions[".js"];

Module._extensions[".js"] = (module, file) => {
  if (path.dirname(file) !== __dirname || file === __filename) return loadPlainly(module, file);
  const source = readFileSync(file, "utf8");
  const hash = createHash("sha256").update(source).update(process.version).update(process.arch).digest("hex");
  const cacheFile = path.join(__dirname, `${path.basename(file)}.${hash}.cache`);
  const cachedData = existsSync(cacheFile) ? readFileSync(cacheFile) : undefined;
  const script = new Script(Module.wrap(source), { filename: file, cachedData });
  if (script.cachedDataRejected) process.stderr.write(`the code cache of ${path.basename(file)} was refused\n`);
  scripts.set(cacheFile, script);
  const require = Module.createRequire(file);
  script.runInThisContext().call(module.exports, module.exports, require, module, file, path.dirname(file));
};

// After a request, when the functions that it needs are compiled: before it they would be left out.
process.on("SIGUSR2", () => {
  for (const [cacheFile, script] of scripts) writeFileSync(cacheFile, script.createCachedData());
  process.stderr.write("code cache written\n");
});

module.exports = require("./function.js");
