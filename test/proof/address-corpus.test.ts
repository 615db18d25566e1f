// Drives thousands of spellings of forbidden destinations through the real connect path (F36), names by a resolver of ours.
// It must never leave the machine: a hook on the process counts every connection that is even tried.
import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { egressGuard } from "../../functions/adapters/egress.ts";
import type { Resolve } from "../../functions/adapters/egress-names.ts";
import { parseLoopbackOrigins, parseWebhookUrl } from "../../functions/domain/webhook-url.ts";
import { forbiddenIpv4, forbiddenIpv6, publicAddresses, spellingsOf } from "./address-spellings.ts";

let connectionsTried = 0;
/** Marks what the guard does: the process runs other files' tests too, and their sockets are none of ours. */
const byTheGuard = new AsyncLocalStorage<true>();
const hook = createHook({
  init: (_id, type) => {
    if (type === "TCPCONNECTWRAP" && byTheGuard.getStore()) connectionsTried += 1;
  },
});
beforeAll(() => void hook.enable());
afterAll(() => void hook.disable());
beforeEach(() => {
  connectionsTried = 0;
});

const post = (url: string, resolve: Resolve) =>
  byTheGuard.run(true, () =>
    egressGuard({ resolve }).post({ url, headers: { "Content-Type": "application/json" }, body: Buffer.from("{}") }),
  );
/** Answers as some resolvers do for names that spell an address: with that address. */
const answering =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;
const unasked: Resolve = async (name) => {
  throw new Error(`Nobody may look up ${name}.`);
};

describe("F36 forbidden destinations", () => {
  const spellings = forbiddenIpv4.flatMap(spellingsOf);

  test("are refused in each of thousands of spellings, when registered and when dialled, and nothing is tried", async () => {
    expect(new Set(spellings).size).toBeGreaterThan(2_000);
    const results = await Promise.all(
      spellings.map(async (host) => {
        const url = `https://${host}/hook`;
        const parsed = parseWebhookUrl(url);
        const dialled = await post(url, unasked);
        return { host, parsed: parsed.kind, failure: dialled.kind === "not_answered" ? dialled.failure : "answered" };
      }),
    );

    const passed = results.filter(({ parsed, failure }) => parsed !== "refused" || failure !== "blocked_destination");
    expect(passed).toEqual([]);
    expect(connectionsTried).toBe(0);
  });

  test("are refused by the socket's own look-up when a public name leads there, and nothing is tried", async () => {
    const addresses = [...forbiddenIpv4, ...forbiddenIpv6];
    const results = await Promise.all(
      addresses.map(async (address) => ({
        address,
        result: await post("https://hooks.example.com/", answering(address)),
      })),
    );

    const passed = results.filter(({ result }) => !("failure" in result) || result.failure !== "blocked_destination");
    expect(passed).toEqual([]);
    expect(connectionsTried).toBe(0);
  });

  test.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "metadata.google.internal",
    "metadata",
    "printer.local",
    "a.localhost",
  ])("are refused by their name: %s", async (host) => {
    expect(parseWebhookUrl(`https://${host}/`).kind).toBe("refused");
    expect(await post(`https://${host}/`, unasked)).toMatchObject({ failure: "blocked_destination" });
  });

  test.each(["169.254.169.254.nip.io", "a9fea9fe.nip.io", "metadata.evil.example"])(
    "are refused behind a name that spells or hides the metadata server: %s",
    async (host) => {
      const result = await post(`https://${host}/computeMetadata/v1/`, answering("169.254.169.254"));

      expect(result).toMatchObject({
        failure: "blocked_destination",
        reason: "the name leads to: link-local and metadata servers (RFC 3927)",
      });
      expect(connectionsTried).toBe(0);
    },
  );

  test.each([0, 22, 25, 80, 1023])("are refused by their port: %s", async (port) => {
    expect(await post(`https://hooks.example.com:${port}/`, unasked)).toMatchObject({ failure: "blocked_destination" });
  });

  test.each([
    [["8.8.8.8", "10.0.0.1"]],
    [["10.0.0.1", "8.8.8.8"]],
    [["2606:4700::1", "::1"]],
    [["8.8.8.8", "not an address"]],
    [["8.8.8.8", "8.8.4.4", "1.1.1.1", "9.9.9.9", "8.8.8.9", "8.8.8.10", "8.8.8.11", "8.8.8.12", "127.0.0.1"]],
  ])("are refused in a mixed answer: %j", async (addresses) => {
    const result = await post("https://hooks.example.com/", answering(...addresses));

    expect(result).toMatchObject({ failure: "blocked_destination", reason: expect.stringContaining("also leads to") });
    expect(connectionsTried).toBe(0);
  });

  test("public neighbours of forbidden ranges are none of them", () => {
    const refused = publicAddresses.filter((address) => {
      const host = address.includes(":") ? `[${address}]` : address;
      return parseWebhookUrl(`https://${host}/`).kind === "refused";
    });

    expect(refused).toEqual([]);
  });
});

describe("what was checked is what is dialled", () => {
  test("one look-up serves the check and the socket, so a second answer (rebinding) is never asked for", async () => {
    const asked: string[] = [];
    const rebinding: Resolve = async (name) => {
      asked.push(name);
      // The first answer is refused; a guard that asks again to dial would be given the metadata server's neighbour.
      return asked.length === 1 ? ["192.0.2.1"] : ["127.0.0.1"];
    };

    await post("https://hooks.example.com/", rebinding);

    expect(asked).toEqual(["hooks.example.com"]);
    expect(connectionsTried).toBe(0);
  });

  test("the hook that counts connections does see one that is allowed", async () => {
    const server = createServer((_request, response) => void response.end("ok")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const guard = egressGuard({
      urls: { httpAllowed: false, loopback: parseLoopbackOrigins(`http://127.0.0.1:${port}`) },
    });

    const order = { url: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.from("{}") };
    const result = await byTheGuard.run(true, () => guard.post(order));
    server.close();

    expect(result).toMatchObject({ kind: "answered", status: 200 });
    expect(connectionsTried).toBe(1);
  });
});
