// Making, rotating and refusing signing secrets; the signatures themselves are judged in test/proof/signatures.test.ts.
// It must never print a secret in a title.
import {
  activeSecrets,
  rotateSecret,
  type SigningSecret,
  signatureHeaders,
  signingSecretFrom,
} from "../../functions/domain/signature.ts";

const secretOf = (byte: number) => signingSecretFrom(new Uint8Array(32).fill(byte));
const nowMs = 1_800_000_000_000;
const hourMs = 3_600_000;
const rotation = (secret: string, overlapMs: number) => ({ secret, overlapMs, nowMs, param: "expires_in" });

describe("a signing secret", () => {
  test("is the prefix and standard base64 of 32 bytes", () => {
    expect(secretOf(0xfb)).toBe("whsec_+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=");
  });

  test.each([0, 24, 31, 33, 64])("is not made from %s bytes", (length) => {
    expect(() => signingSecretFrom(new Uint8Array(length))).toThrow("made from 32 bytes");
  });

  test.each([
    ["free text", "whsec_test_secret"],
    ["base64url", `whsec_${"-_".repeat(21)}A=`],
    ["no prefix", "A".repeat(43).concat("=")],
    ["a newline at the end", `${secretOf(1)}\n`],
    ["nothing", ""],
  ])("of another form signs nothing and is not quoted in the error: %s", (_title, secret) => {
    const sign = () => signatureHeaders({ id: "evt_1", body: Buffer.from("{}"), signedAtMs: nowMs }, [secret]);

    expect(sign).toThrow(/^A signing secret has an unknown form\.$/);
  });
});

describe("a signed message", () => {
  test("needs a secret", () => {
    const message = { id: "evt_1", body: Buffer.from("{}"), signedAtMs: nowMs };

    expect(() => signatureHeaders(message, [])).toThrow("at least one signing secret");
  });

  test.each(["", "evt.1", "evt 1", "evt_1\r\nx: y", "évt", "e".repeat(256)])(
    "has an id that can stand in a header and in the signed text, not %j",
    (id) => {
      const sign = () => signatureHeaders({ id, body: Buffer.from("{}"), signedAtMs: nowMs }, [secretOf(1)]);

      expect(sign).toThrow("printable ASCII without a full stop");
    },
  );
});

describe("a rotation", () => {
  const one: readonly SigningSecret[] = [{ secret: secretOf(1), endsAtMs: null }];

  test("puts the new secret first and lets the old one sign until the overlap ends, not a millisecond longer", () => {
    const secrets = rotateSecret(one, rotation(secretOf(2), hourMs));

    expect(activeSecrets(secrets, nowMs + hourMs - 1)).toEqual([secretOf(2), secretOf(1)]);
    expect(activeSecrets(secrets, nowMs + hourMs)).toEqual([secretOf(2)]);
  });

  test("without overlap ends all secrets before it at once, those in an earlier overlap too", () => {
    const twice = rotateSecret(one, rotation(secretOf(2), hourMs));

    expect(rotateSecret(twice, rotation(secretOf(3), 0))).toEqual([{ secret: secretOf(3), endsAtMs: null }]);
  });

  test("never lets a secret live longer than an earlier rotation said", () => {
    const twice = rotateSecret(one, rotation(secretOf(2), hourMs));
    const thrice = rotateSecret(twice, rotation(secretOf(3), 24 * hourMs));

    expect(activeSecrets(thrice, nowMs + 2 * hourMs)).toEqual([secretOf(3), secretOf(2)]);
  });

  test.each([-1, 0.5, 24 * hourMs + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses an overlap of %s ms and names the parameter",
    (overlapMs) => {
      const refusal = { code: "parameter_invalid", param: "expires_in" };

      expect(() => rotateSecret(one, rotation(secretOf(2), overlapMs))).toThrow(expect.objectContaining(refusal));
    },
  );

  test("refuses a sixth active secret, unless the others end now", () => {
    const five = [2, 3, 4, 5].reduce((secrets, byte) => rotateSecret(secrets, rotation(secretOf(byte), hourMs)), one);

    expect(activeSecrets(five, nowMs)).toHaveLength(5);
    expect(() => rotateSecret(five, rotation(secretOf(6), hourMs))).toThrow("At most 5 signing secrets");
    expect(rotateSecret(five, rotation(secretOf(6), 0))).toHaveLength(1);
  });
});
