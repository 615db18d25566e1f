// The receiver's verification: the table of good and hostile receipts, and which id it believes (F21).
// It must never sign with the code under test where the table has a signature.
import { readFileSync } from "node:fs";
import path from "node:path";
import { type ReceivedWebhook, verifyWebhook } from "../../functions/domain/receive-webhook.ts";
import { signatureHeaders, signingSecretFrom } from "../../functions/domain/signature.ts";

type Receipt = {
  readonly title: string;
  readonly receivedAt: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly accepted: Readonly<Record<"stripe" | "standard" | "ours", boolean>>;
};
const file = path.join(import.meta.dirname, "../proof/signature-vectors.json");
const vectors: { secrets: Record<string, string>; receipts: readonly Receipt[] } = JSON.parse(
  readFileSync(file, "utf8"),
);
const current = vectors.secrets["current"] ?? "";

const nowMs = 1_800_000_000_000;
const secret = signingSecretFrom(new Uint8Array(32).fill(1));
const other = signingSecretFrom(new Uint8Array(32).fill(2));

/** A request as the sender makes it, with changes to its headers. */
function request(body: string, change: Record<string, string | string[] | undefined> = {}): ReceivedWebhook {
  const rawBody = Buffer.from(body);
  const headers = signatureHeaders({ id: "evt_1", body: rawBody, signedAtMs: nowMs }, [secret]);
  return { rawBody, headers: { ...lowerCase(headers), ...change } };
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

describe("a receipt", () => {
  test.each(vectors.receipts)("of the table is accepted or refused as the table says: $title", (receipt) => {
    const received = { headers: lowerCase(receipt.headers), rawBody: Buffer.from(receipt.body) };

    const verdict = verifyWebhook(received, { secrets: [current], nowMs: receipt.receivedAt * 1000 });

    expect(verdict.kind === "genuine").toBe(receipt.accepted.ours);
    // Whatever the headers say, the id is the one that was signed.
    if (verdict.kind === "genuine") expect(verdict.eventId).toBe("evt_1RkQ2sGenuine0001");
  });

  test.each([[[secret, other]], [[other, secret]]])(
    "may be signed with any of the receiver's secrets (%#)",
    (secrets) => {
      expect(verifyWebhook(request('{"id":"evt_1"}'), { secrets, nowMs })).toMatchObject({ kind: "genuine" });
    },
  );

  const noStandard = { "webhook-id": undefined, "webhook-timestamp": undefined, "webhook-signature": undefined };

  test.each([
    ["nothing", { ...noStandard, "stripe-signature": undefined }, nowMs, "signature_missing"],
    ["a repeated header", { ...noStandard, "stripe-signature": ["t=1", "t=1"] }, nowMs, "signature_missing"],
    [
      "a header of 4,097 characters",
      { ...noStandard, "stripe-signature": "x".repeat(4097) },
      nowMs,
      "signature_missing",
    ],
    ["no time", { ...noStandard, "stripe-signature": "v1=00" }, nowMs, "timestamp_malformed"],
    ["two times", { ...noStandard, "stripe-signature": "t=1800000000,t=1800000000" }, nowMs, "timestamp_malformed"],
    ["an old time", {}, nowMs + 301_000, "timestamp_too_old"],
    ["a time to come", {}, nowMs - 301_000, "timestamp_too_new"],
    ["another signature", { ...noStandard, "stripe-signature": "t=1800000000,v1=00" }, nowMs, "signature_mismatch"],
  ])("with %s is refused with a reason", (_title, change, atMs, reason) => {
    expect(verifyWebhook(request('{"id":"evt_1"}', change), { secrets: [secret], nowMs: atMs })).toEqual({
      kind: "refused",
      reason,
    });
  });
});

describe("F21 the id of an event", () => {
  const receiver = { secrets: [secret], nowMs };

  test.each([
    ["missing", undefined],
    ["empty", ""],
    ["repeated", ["evt_1", "evt_1"]],
    ["another one", "evt_forged"],
  ])("is taken from the signed body when the header is %s", (_title, id) => {
    expect(verifyWebhook(request('{"id":"evt_inside"}', { "webhook-id": id }), receiver)).toEqual({
      kind: "genuine",
      eventId: "evt_inside",
    });
  });

  test.each(["{}", '{"id":7}', '{"id":""}', '["evt_1"]', "null", "no json", "", `{"id":"${"x".repeat(256)}"}`])(
    "that nobody signed is none: body %j without the header is refused",
    (body) => {
      expect(verifyWebhook(request(body, { "webhook-id": undefined }), receiver)).toEqual({
        kind: "refused",
        reason: "id_missing",
      });
    },
  );

  test("is the header's where the Standard family signs it, whatever the body is", () => {
    expect(verifyWebhook(request("no json"), receiver)).toEqual({ kind: "genuine", eventId: "evt_1" });
  });
});

test.each([[[]], [["whsec_short"]], [[""]]])(
  "a receiver without a usable secret is a mistake of its owner (%#)",
  (secrets) => {
    expect(() => verifyWebhook(request('{"id":"evt_1"}'), { secrets, nowMs })).toThrow(/signing secret/);
  },
);
