// The egress guard against receivers whose TLS is slow, absent, old, or whose certificate is wrong (F40).
// It must never trust anything but the authority that the test made.
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { egressGuard } from "../../functions/adapters/egress.ts";
import { parseLoopbackOrigins } from "../../functions/domain/webhook-url.ts";
import { newAuthority, newIdentity } from "../support/certificates.ts";
import { hostileReceiver, type Receiver, rudeReceiver } from "../support/hostile-receiver.ts";

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const authority = newAuthority("Test Authority");
const urls = { httpAllowed: false, loopback: parseLoopbackOrigins("https://localhost:*") };
const good = newIdentity({ host: "localhost", issuer: authority });

async function postTo(receiver: Receiver, deadlineMs = 4_000) {
  receivers.push(receiver);
  const guard = egressGuard({ urls, certificateAuthorities: authority.certificate, limits: { deadlineMs } });
  const body = Buffer.from('{"id":"evt_1","secret":"in the body"}');
  return await guard.post({ url: `https://localhost:${receiver.port}/`, headers: {}, body });
}

const fine = (identity = good) =>
  hostileReceiver((socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), identity);

test("a receiver with a certificate for its name from a known authority is delivered to", async () => {
  expect(await postTo(await fine())).toMatchObject({ kind: "answered", status: 200 });
});

test.each([
  ["that it signed itself", newIdentity({ host: "localhost" }), "DEPTH_ZERO_SELF_SIGNED_CERT"],
  [
    "of an unknown authority",
    newIdentity({ host: "localhost", issuer: newAuthority("Somebody") }),
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ],
  [
    "that has expired",
    newIdentity({ host: "localhost", issuer: authority, notAfter: new Date("2020-01-02T00:00:00Z") }),
    "CERT_HAS_EXPIRED",
  ],
  ["for another name", newIdentity({ host: "other.example", issuer: authority }), "ERR_TLS_CERT_ALTNAME_INVALID"],
])("a receiver with a certificate %s gets no byte of the event", async (_title, identity, reason) => {
  const receiver = await fine(identity);

  expect(await postTo(receiver)).toMatchObject({ failure: "tls_error", reason });
  expect(receiver.received()).toBe("");
});

test("no variable of the environment switches the check of certificates off", async () => {
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    expect(await postTo(await fine(newIdentity({ host: "localhost" })))).toMatchObject({ failure: "tls_error" });
  } finally {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  }
});

test("a handshake that does not end is a timeout of the whole attempt", async () => {
  const receiver = await rudeReceiver(() => {});

  expect(await postTo(receiver, 80)).toMatchObject({
    failure: "timeout",
    reason: expect.stringMatching(/^no answer while (?:connecting|agreeing on TLS)$/),
  });
});

test("a handshake of one byte at a time is a timeout of the whole attempt", async () => {
  // A real handshake passes through, but as slowly as a receiver could send it.
  const behind = createTlsServer({ key: good.key, cert: good.certificate }).listen(0, "127.0.0.1");
  await once(behind, "listening");
  behind.on("tlsClientError", () => {});
  const timers: NodeJS.Timeout[] = [];
  const receiver = await rudeReceiver((socket) => {
    const inner = connect((behind.address() as AddressInfo).port, "127.0.0.1");
    inner.on("error", () => {});
    socket.on("data", (chunk) => void inner.write(chunk));
    socket.on("close", () => inner.destroy());
    let waiting = Buffer.alloc(0);
    inner.on("data", (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
    });
    timers.push(
      setInterval(() => {
        socket.write(waiting.subarray(0, 1));
        waiting = waiting.subarray(1);
      }, 5),
    );
  });

  const result = await postTo(receiver, 80);
  for (const timer of timers) clearInterval(timer);
  behind.close();

  expect(result).toMatchObject({
    failure: "timeout",
    reason: expect.stringMatching(/^no answer while (?:connecting|agreeing on TLS)$/),
  });
});

test.each([
  ["speaks plain HTTP", "HTTP/1.1 200 OK\r\n\r\n"],
  ["sends an alert", Buffer.from("15030100020228", "hex")],
])("a receiver that %s is a TLS error", async (_title, bytes) => {
  const receiver = await rudeReceiver((socket) => void socket.end(bytes));

  expect(await postTo(receiver)).toMatchObject({ kind: "not_answered", failure: "tls_error" });
});

test("a receiver that hangs up inside the handshake is a TLS error", async () => {
  const receiver = await rudeReceiver((socket) => void socket.destroy());

  expect(await postTo(receiver)).toMatchObject({ failure: "tls_error", reason: "ECONNRESET" });
});
