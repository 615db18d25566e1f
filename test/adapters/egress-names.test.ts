// How the egress guard looks names up: failures by class (F43), one look-up for check and socket, name servers that hang.
// It must never ask a name server beyond loopback.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { egressGuard } from "../../functions/adapters/egress.ts";
import { askingServers, guardedLookup, type Resolve } from "../../functions/adapters/egress-names.ts";

const post = (resolve: Resolve, deadlineMs = 4_000) =>
  egressGuard({ resolve, limits: { deadlineMs } }).post({
    url: "https://hooks.example.com/",
    headers: {},
    body: Buffer.from("{}"),
  });
const failing =
  (code: string): Resolve =>
  async () => {
    throw Object.assign(new Error(`query ${code} hooks.example.com`), { code });
  };

describe("F43 a name without an answer", () => {
  test.each(["ENOTFOUND", "ENODATA", "ESERVFAIL", "ETIMEOUT", "EREFUSED", "ECONNREFUSED"])(
    "is a DNS error that shows the code: %s",
    async (code) => {
      expect(await post(failing(code))).toEqual({
        kind: "not_answered",
        failure: "dns_error",
        reason: code,
        durationMs: expect.any(Number),
      });
    },
  );

  test("is a DNS error when the list of addresses is empty", async () => {
    expect(await post(async () => [])).toMatchObject({ failure: "dns_error", reason: "ENODATA" });
  });

  test("is a timeout of the whole attempt when the look-up hangs", async () => {
    const result = await post(async () => await new Promise(() => {}), 60);

    expect(result).toMatchObject({ failure: "timeout", reason: "no answer while looking up the name" });
  });
});

describe("the look-up of the socket", () => {
  const lookUp = (resolve: Resolve, all: boolean, loopbackOnly = false) =>
    new Promise((done) => {
      guardedLookup(resolve, loopbackOnly)("hooks.example.com", { all }, (error, address, family) =>
        done(error === null ? { address, family } : { refused: error.message }),
      );
    });

  test("gives the socket the very addresses that were checked, asked for once", async () => {
    const answers = [["8.8.8.8", "2606:4700::1"], ["169.254.169.254"]];
    const rebinding: Resolve = async () => answers.shift() ?? [];

    expect(await lookUp(rebinding, true)).toEqual({
      address: [
        { address: "8.8.8.8", family: 4 },
        { address: "2606:4700::1", family: 6 },
      ],
      family: undefined,
    });
    expect(answers).toEqual([["169.254.169.254"]]);
  });

  test("gives the first address to a socket that wants one", async () => {
    expect(await lookUp(async () => ["8.8.8.8", "8.8.4.4"], false)).toEqual({ address: "8.8.8.8", family: 4 });
  });

  test("gives eight addresses at most, and checks all", async () => {
    const many = Array.from({ length: 100 }, (_, index) => `8.8.8.${index}`);

    expect(await lookUp(async () => many, true)).toMatchObject({ address: { length: 8 } });
    expect(await lookUp(async () => [...many, "10.0.0.1"], true)).toMatchObject({
      refused: "the name also leads to: private network (RFC 1918)",
    });
  });

  test("dials nothing but this machine for a listed origin", async () => {
    expect(await lookUp(async () => ["8.8.8.8"], true, true)).toEqual({ refused: "not an address of this machine" });
  });
});

describe("name servers", () => {
  /** A name server on loopback that answers as told, or not at all. */
  async function nameServer(answer: (query: Buffer) => Buffer | null, timeoutMs = 4_000) {
    const socket = createSocket("udp4");
    let asked = 0;
    socket.on("message", (query, from) => {
      asked += 1;
      const reply = answer(query);
      if (reply !== null) socket.send(reply, from.port, from.address);
    });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const resolve = askingServers({ servers: [`127.0.0.1:${socket.address().port}`], timeoutMs, tries: 1 });
    return { resolve, asked: () => asked, close: () => socket.close() };
  }

  /** A reply of one address to a query of its type (1: IPv4, 28: IPv6), else an empty one. */
  const replyOf = (query: Buffer, addresses: Readonly<Record<number, Buffer>>, code = 0) => {
    const end = query.indexOf(0, 12) + 5;
    const address = addresses[query.readUInt16BE(end - 4)];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(address === undefined ? 0 : 1, 6);
    header.writeUInt16BE(0, 10);
    const fixed = Buffer.from(`c00c${address?.length === 4 ? "0001" : "001c"}00010000003c`, "hex");
    const length = Buffer.of(0, address?.length ?? 0);
    return Buffer.concat([header, query.subarray(12, end), ...(address === undefined ? [] : [fixed, length, address])]);
  };

  test("are asked for both families", async () => {
    const wide = Buffer.from("26064700000000000000000000001111", "hex");
    const server = await nameServer((query) => replyOf(query, { 1: Buffer.of(8, 8, 4, 4), 28: wide }));

    expect(await server.resolve("hooks.example.com")).toEqual(["8.8.4.4", "2606:4700::1111"]);
    server.close();
  });

  test("may know one family only", async () => {
    const server = await nameServer((query) => replyOf(query, { 1: Buffer.of(8, 8, 4, 4) }));

    expect(await server.resolve("hooks.example.com")).toEqual(["8.8.4.4"]);
    server.close();
  });

  test.each([
    [2, "ESERVFAIL"],
    [3, "ENOTFOUND"],
    [5, "EREFUSED"],
  ])("that answer with code %s give a DNS error %s", async (code, reason) => {
    const server = await nameServer((query) => replyOf(query, {}, code));

    expect(await post(server.resolve)).toMatchObject({ failure: "dns_error", reason });
    server.close();
  });

  test("that do not answer are given up", async () => {
    const server = await nameServer(() => null, 50);

    expect(await post(server.resolve)).toMatchObject({ failure: "dns_error", reason: "ETIMEOUT" });
    expect(server.asked()).toBe(2);
    server.close();
  });

  test("that lead to the metadata server are believed by nobody", async () => {
    const server = await nameServer((query) => replyOf(query, { 1: Buffer.of(169, 254, 169, 254) }));

    expect(await post(server.resolve)).toMatchObject({ failure: "blocked_destination" });
    server.close();
  });
});
