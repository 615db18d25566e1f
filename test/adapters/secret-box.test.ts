// The box that keeps secrets: what it sealed only it opens, only as it was and only where it belongs.
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { openOutcome, sealOutcome } from "../../functions/domain/secret-box.ts";

const key = "0123456789abcdef0123456789abcdef";
const otherKey = "fedcba9876543210fedcba9876543210";
const plain = Buffer.from("whsec_AAAA");

describe("a secret box", () => {
  test("opens what it sealed, and shows nothing of it, nor twice the same", () => {
    const box = aesSecretBox(key);
    const sealed = box.seal(plain, "we_1");

    expect(Buffer.from(box.open(sealed, "we_1"))).toEqual(plain);
    expect(sealed).toMatch(/^sealed:[0-9a-f]{8}:[\w-]+$/);
    expect(sealed).not.toContain("whsec");
    expect(box.seal(plain, "we_1")).not.toBe(sealed);
  });

  test("opens under an old key as long as it is listed, and seals under the newest", () => {
    const sealed = aesSecretBox(key).seal(plain, "we_1");
    const both = aesSecretBox(`${otherKey}, ${key}`);

    expect(Buffer.from(both.open(sealed, "we_1"))).toEqual(plain);
    expect(Buffer.from(aesSecretBox(otherKey).open(both.seal(plain, "we_1"), "we_1"))).toEqual(plain);
    expect(() => aesSecretBox(otherKey).open(sealed, "we_1")).toThrow("sealed under a key that is not here");
  });

  test.each([
    ["for another record", (sealed: string) => [sealed, "we_2"] as const],
    ["with a changed letter", (sealed: string) => [sealed.replace(/.{5}$/, "AAAAA"), "we_1"] as const],
    ["cut short", (sealed: string) => [sealed.slice(0, 20), "we_1"] as const],
  ])("refuses a text %s, and says nothing of it", (_, change) => {
    const box = aesSecretBox(key);
    const [text, context] = change(box.seal(plain, "we_1"));

    expect(() => box.open(text, context)).toThrow("A sealed text was changed, or belongs to another record.");
  });

  test.each(["", "short", `${key},`])(
    "does not start with a key that is none, and does not repeat it: %j",
    (setting) => {
      expect(() => aesSecretBox(setting)).toThrow(/^The key of the secret box is missing or too short\.$/);
    },
  );
});

describe("a stored answer", () => {
  const box = aesSecretBox(key);

  test("that was sealed is opened under its own key, and no other", () => {
    const sealed = sealOutcome(box, "hash-1", { status: 200, body: Buffer.from(`{"secret":"whsec_AAAA"}`) });

    expect(Buffer.from(sealed.body ?? []).toString()).not.toContain("whsec");
    expect(openOutcome(box, "hash-1", sealed)).toEqual({ status: 200, body: Buffer.from(`{"secret":"whsec_AAAA"}`) });
    expect(() => openOutcome(box, "hash-2", sealed)).toThrow("belongs to another record");
  });

  test.each([[Buffer.from(`{"id":"pi_1"}`)], [null], [new Uint8Array()]])(
    "that was not sealed stays as it is",
    (body) => {
      expect(openOutcome(box, "hash-1", { status: 200, body })).toEqual({ status: 200, body });
    },
  );
});
