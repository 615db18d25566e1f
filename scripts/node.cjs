// Starts Node 24 with the given arguments, whatever `node` the machine has: every npm script goes through here.
// It must never use syntax or modules that an old Node lacks, and never fall back to an old Node in silence.
"use strict";

var childProcess = require("child_process");
var path = require("path");

/** Native type stripping is on by default from here (Node 22.18); below it no `.ts` file of this project loads. */
var OLDEST_MAJOR = 22;
var OLDEST_MINOR = 18;

run(process.argv.slice(2));

function run(args) {
  var binary = lockedNode() || ownNode();
  var env = Object.assign({}, process.env);
  // Children that call plain `node` (Jest workers, `sh -c node`, cdktf) must get the same one.
  env.PATH = path.dirname(binary) + path.delimiter + (env.PATH || "");
  // Compiled code is kept between runs, by content: `npm start` needs half the time from its second run on.
  if (env.NODE_COMPILE_CACHE === undefined) {
    env.NODE_COMPILE_CACHE = path.join(__dirname, "..", "node_modules", ".cache", "node-compile");
  }
  var child = childProcess.spawn(binary, args, { stdio: "inherit", env: env });
  // Ctrl-C reaches the child through the terminal as well; a second delivery is harmless, a missed one leaves an orphan.
  ["SIGINT", "SIGTERM"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on("error", function (error) {
    fail("cannot start " + binary + ": " + error.message);
  });
  child.on("exit", function (code, signal) {
    if (signal === null) process.exit(code === null ? 1 : code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The binary whose hash is in package-lock.json, or undefined on a platform it does not list (Mac, Windows). */
function lockedNode() {
  var name = "node-" + process.platform + "-" + process.arch;
  try {
    return path.join(path.dirname(require.resolve(name + "/package.json")), "bin", "node");
  } catch (_notInstalled) {
    return undefined;
  }
}

/** The Node that runs this file, if it is new enough. */
function ownNode() {
  var parts = process.versions.node.split(".").map(Number);
  if (parts[0] > OLDEST_MAJOR || (parts[0] === OLDEST_MAJOR && parts[1] >= OLDEST_MINOR)) return process.execPath;
  return fail(
    "Node " +
      process.versions.node +
      " is too old: " +
      OLDEST_MAJOR +
      "." +
      OLDEST_MINOR +
      " or newer is needed (24 is best, " +
      "see .nvmrc).\nOn Linux x64 and arm64 `npm ci` brings it along; elsewhere install it, for example with `nvm install`.",
  );
}

function fail(message) {
  process.stderr.write("scripts/node.cjs: " + message + "\n");
  process.exit(1);
}
