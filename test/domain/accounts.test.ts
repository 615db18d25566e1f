// What an API key looks like, and what is kept of it.
// It must never use a key that could be somebody's.
import { apiKeyCacheMs, apiKeyDigest, isApiKeyShaped } from "../../functions/domain/accounts.ts";

test("a key is kept as the SHA-256 of its whole text, in hex", () => {
  // From `printf %s sk_test_12345678 | sha256sum`.
  expect(apiKeyDigest("sk_test_12345678")).toBe("2b29ae0e3aaff560bca60536bab60820423462f4b90dff84e17a233aa5352bdd");
  expect(apiKeyDigest("sk_test_12345679")).not.toBe(apiKeyDigest("sk_test_12345678"));
});

test("a revoked key works for at most a minute", () => {
  expect(apiKeyCacheMs).toBe(60_000);
});

test.each([
  ["the shortest", "sk_test_12345678", true],
  ["the longest", `sk_test_${"a".repeat(247)}`, true],
  ["letters of both cases, digits and underscores", "sk_test_AZaz09_x", true],
  ["one that is too short", "sk_test_1234567", false],
  ["one that is too long", `sk_test_${"a".repeat(248)}`, false],
  ["a live key", "sk_live_12345678", false],
  ["a publishable key", "pk_test_12345678", false],
  ["other characters", "sk_test_1234-5678", false],
  ["a line break behind it", "sk_test_12345678\n", false],
  ["something before it", " sk_test_12345678", false],
  ["letters of another alphabet", "sk_test_абвгдежз", false],
  ["nothing", "", false],
])("%s: %s", (_, text, expected) => {
  expect(isApiKeyShaped(text)).toBe(expected);
});
