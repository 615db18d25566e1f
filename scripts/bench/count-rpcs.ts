// Counts the calls that Google's real clients send, by listening to Node's own HTTP/2 client.
// It must never change a call, and never miss one: it has to listen before the clients open their connections.
import { subscribe } from "node:diagnostics_channel";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type { Tally, Trip } from "./tally.ts";

/** Counts every gRPC call of this process from now on. */
export function countRpcs(tally: Tally): void {
  subscribe("http2.client.stream.created", (message) => {
    const { stream, headers } = message as { stream: ClientHttp2Stream; headers: IncomingHttpHeaders };
    const [, service = "", method = ""] = (headers[":path"] ?? "").split("/");
    const trip = tally.count(storeOf(service, method), method);
    const note = (received: IncomingHttpHeaders) => {
      // The status stands in the last frame; by then everything else is here.
      if (received["grpc-status"] !== undefined) tally.close(trip);
      noteOutcome(trip, received);
    };
    // A refusal is one frame of headers; everything else ends with trailers.
    stream.once("response", note).once("trailers", note);
  });
}

/** Sessions are opened ahead of requests and live for an hour. */
function storeOf(service: string, method: string): Trip["store"] {
  if (/Session/.test(method)) return "apart";
  return service.startsWith("google.firestore") ? "cache" : "ledger";
}

/** Only a commit writes, and only one that was not refused: a create of a record that exists changes nothing. */
function noteOutcome(trip: Trip, headers: IncomingHttpHeaders): void {
  if (headers["grpc-status"] === "0" && trip.name === "Commit") trip.wrote = true;
}
