// The identity of keys, the fingerprint of requests, and the boundaries of leases and answers to the millisecond.
// It must never compute an expected digest with the code under test.
import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  defaultTimings,
  expiryOf,
  isExpired,
  keyIdentity,
  mayCall,
  requestFingerprint,
} from "../../functions/domain/idempotency.ts";

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

describe("the identity of a key", () => {
  test("is the digest of account, mode and key, each preceded by its length in bytes", () => {
    expect(keyIdentity("acct_1", false, "K")).toBe(sha256("6:acct_14:test1:K"));
    expect(keyIdentity("acct_1", true, "é")).toBe(sha256("6:acct_14:live2:é"));
  });

  test("differs for every pair of (account, key), however the two run into each other", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "1", ":", "|", "é", "\u0000"), maxLength: 4 });
    fc.assert(
      fc.property(part, part, part, part, (account, key, otherAccount, otherKey) => {
        const same = account === otherAccount && key === otherKey;
        expect(keyIdentity(account, false, key) === keyIdentity(otherAccount, false, otherKey)).toBe(same);
      }),
    );
  });

  test.each([
    ["account and key", ["ab", false, "c"], ["a", false, "bc"]],
    ["a length written by the client", ["a", false, "1:b"], ["a1:", false, "b"]],
    ["test and live", ["a", false, "k"], ["a", true, "k"]],
    ["upper and lower case", ["a", false, "K"], ["a", false, "k"]],
    ["quoted and bare", ["a", false, '"k"'], ["a", false, "k"]],
    ["composed and decomposed", ["a", false, "\u00e9"], ["a", false, "e\u0301"]],
  ] as const)("is another one for another %s", (_, [account, live, key], [otherAccount, otherLive, otherKey]) => {
    expect(keyIdentity(account, live, key)).not.toBe(keyIdentity(otherAccount, otherLive, otherKey));
  });

  test("has no character that a path or a document id could stumble over", () => {
    for (const key of ["../x", "a/b", ".", "__x__", "\u0000", "k".repeat(255)]) {
      expect(keyIdentity("acct_1", false, key)).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});

describe("the fingerprint of a request", () => {
  test("is the digest of method, path and parameters, each preceded by its length in bytes", () => {
    expect(requestFingerprint("POST", "/v1/x", "[]")).toBe(sha256("4:POST5:/v1/x2:[]"));
  });

  test.each([
    ["method", "GET", "/v1/x", "p"],
    ["path", "POST", "/v1/xp", ""],
    ["parameters", "POST", "/v1/x", "q"],
  ])("is another one for another %s", (_, method, path, parameters) => {
    expect(requestFingerprint(method, path, parameters)).not.toBe(requestFingerprint("POST", "/v1/x", "p"));
  });
});

describe("an answer ends 24 hours after its request, by the clock", () => {
  // 2026-03-01T12:00:00.789Z, and a day later.
  const createdAtMs = 1_772_366_400_789;
  const endMs = 1_772_452_800_789;

  test("the end is written down with the answer", () => {
    expect(expiryOf(createdAtMs)).toBe(endMs);
  });

  test.each([
    ["a millisecond before", endMs - 1, false],
    ["at", endMs, true],
    ["a millisecond after", endMs + 1, true],
  ])("%s its end it is expired: %s", (_, nowMs, expected) => {
    expect(isExpired(endMs, nowMs)).toBe(expected);
  });

  test("a key without an answer never ends by the clock", () => {
    expect(isExpired(null, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe("a call outside may start only when it must end with the lease", () => {
  test.each([
    ["a millisecond before the last moment", 1_019_999, true],
    ["at the last moment", 1_020_000, true],
    ["a millisecond after it", 1_020_001, false],
    ["at the end of the lease", 1_030_000, false],
    ["after the lease", 1_030_001, false],
  ])("%s, of a lease until 1 030 000 and calls of at most 10 s", (_, nowMs, expected) => {
    expect(mayCall(1_030_000, nowMs, defaultTimings)).toBe(expected);
  });

  test("a fresh lease of production leaves room for two calls, one after the other", () => {
    expect(mayCall(defaultTimings.leaseMs, defaultTimings.callTimeoutMs, defaultTimings)).toBe(true);
  });
});

test("an identity is the same digest for ever: stored keys are found by it", () => {
  // SHA-256 over the parts, each behind its length in bytes and a colon, worked out with another tool.
  expect(keyIdentity("a", true, "k")).toBe("42e8aea475e2105f1038eff2fc44c0dbfc7cb8a9050f1619d7e485fc33757b74");
});
