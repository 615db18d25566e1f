// A function as an entry file builds one, with a handler that does what a test tells it to, over the channel to its parent.
// It must never be reached through the Functions Framework's own server: `never` says so if it happens.
import process from "node:process";
import { http } from "@google-cloud/functions-framework";
import { shutDownGracefully } from "../../functions/edge/graceful-shutdown.ts";
import { installFrontDoor } from "../../functions/edge/install-front-door.ts";
import { requestParameters } from "../../functions/edge/parameters.ts";
import { jsonResponse, pathOf, type WireHandler } from "../../functions/edge/wire.ts";

/** Requests to /held wait here until the parent says `release`. */
const releases: (() => void)[] = [];
process.on("message", (message) => {
  if (message === "release") for (const release of releases.splice(0)) release();
});

const handler: WireHandler = async (request) => {
  switch (pathOf(request.target)) {
    case "/throw":
      throw new Error("secret detail");
    case "/stray-exception":
      setImmediate(() => {
        throw new Error("secret detail");
      });
      return await new Promise(() => {});
    case "/stray-rejection":
      void Promise.reject(new Error("secret detail"));
      return await new Promise(() => {});
    case "/held":
      process.send?.("entered");
      await new Promise<void>((release) => releases.push(release));
      process.send?.("finished");
      return jsonResponse(200, { held: true });
    default:
      try {
        return jsonResponse(200, { parameters: requestParameters(request).size, bytes: request.body.length });
      } catch {
        return jsonResponse(400, { error: { type: "invalid_request_error", message: "from the handler" } });
      }
  }
};

const door = installFrontDoor(handler);
shutDownGracefully(door, {
  onDrained: async () => {
    process.send?.("drained");
  },
  boundMs: Number(process.env["BOUND_MS"] ?? "4000"),
});
http("entry", (_request, response) => {
  process.send?.("never");
  response.end("never");
});
