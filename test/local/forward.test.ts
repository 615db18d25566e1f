// Passing a request on to a process and its answer back: nothing is lost, joined or added on the way.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { forwardTo } from "../../local/forward.ts";
import { freePortFrom, listenFrom } from "../../local/listen.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** A process's port, and what arrived there. */
async function behind(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  const arrived: { line: string; raw: string[]; body: string }[] = [];
  server = createServer(async (incoming, outgoing) => {
    const body = (await buffer(incoming)).toString();
    arrived.push({ line: `${incoming.method} ${incoming.url}`, raw: incoming.rawHeaders, body });
    answer(incoming, outgoing);
  });
  return { arrived, handler: forwardTo(await listenFrom(server, undefined)) };
}

const request = {
  method: "POST",
  target: "/v1/x?a=%20b",
  headers: new Map([
    ["host", ["ledger-writer.function.invalid"]],
    ["x-twice", ["one", "two"]],
    ["transfer-encoding", ["chunked"]],
    ["connection", ["close"]],
  ]),
  body: Buffer.from("ä&b"),
};

describe("a request that is passed on", () => {
  test("arrives with its target, its Host, each header line and its bytes", async () => {
    const { arrived, handler } = await behind((_incoming, outgoing) => outgoing.end());

    await handler(request);

    expect(arrived).toEqual([
      {
        line: "POST /v1/x?a=%20b",
        raw: expect.arrayContaining([
          "host",
          "ledger-writer.function.invalid",
          "x-twice",
          "one",
          "two",
          "content-length",
          "4",
        ]),
        body: "ä&b",
      },
    ]);
    expect(arrived[0]?.raw.map((line) => line.toLowerCase())).not.toContain("transfer-encoding");
  });

  test("brings back status, headers in their case, and bytes; a redirect is not followed", async () => {
    const { handler } = await behind((_incoming, outgoing) => {
      outgoing.writeHead(302, { Location: "/elsewhere", "Request-Id": "req_1" });
      outgoing.end(Buffer.from([0, 255, 10]));
    });

    const answer = await handler(request);

    expect(answer).toEqual({
      status: 302,
      headers: { Location: "/elsewhere", "Request-Id": "req_1" },
      body: Buffer.from([0, 255, 10]),
    });
  });

  test("is answered by 503 when nothing listens, or the process dies over it", async () => {
    const { handler } = await behind((incoming) => incoming.socket.destroy());

    const nobody = forwardTo(await freePortFrom(undefined));

    expect([(await handler(request)).status, (await nobody(request)).status]).toEqual([503, 503]);
  });
});
