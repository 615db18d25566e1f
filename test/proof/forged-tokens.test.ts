// Forged and stolen identity tokens at the functions' second gate, and every closed function asks that gate.
// It must never expect a signature to be looked at here: Cloud Run checks it and takes it off; the laptop's front, which plays
// Cloud Run, is shown forged signatures in test/local/token-issuer.test.ts and platform-front.plan.test.ts.
import { memoryDeadLetters } from "../../functions/adapters/memory/dead-letters.ts";
import { deadLetterRecorder } from "../../functions/edge/dead-letter-recorder.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { requirePlatformCaller } from "../../functions/edge/platform-caller.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import type { WireHandler, WireRequest } from "../../functions/edge/wire.ts";
import { openConsumerWorld } from "../support/consumer-world.ts";
import { pusher } from "../support/pushes.ts";

const nowMs = Date.UTC(2026, 0, 15);
const good = {
  iss: "https://accounts.google.com",
  aud: `https://${pusher.host}`,
  email: pusher.account,
  email_verified: true,
  exp: nowMs / 1000 + 3_600,
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const tokenOf = (claims: unknown, head: unknown = { alg: "RS256" }) =>
  `Bearer ${part(head)}.${part(claims)}.SIGNATURE_REMOVED_BY_GOOGLE`;
const requestWith = (...authorization: readonly string[]): WireRequest => ({
  ...{ method: "POST", target: "/events", body: Buffer.from("{}") },
  headers: new Map([
    ["host", [pusher.host]],
    ["authorization", authorization],
  ]),
});
const without = (claim: keyof typeof good) => ({ ...good, [claim]: undefined });

const forgeries: readonly (readonly [title: string, authorization: readonly string[]])[] = [
  ["no token", []],
  ["an empty header", [""]],
  ["two tokens, a good one among them", [tokenOf(good), tokenOf(good)]],
  ["a password", [`Basic ${Buffer.from("a:b").toString("base64")}`]],
  ["an API key", ["Bearer sk_test_first_account_1111"]],
  ["claims without a head", [`Bearer ${part(good)}`]],
  ["a part too many", [`${tokenOf(good)}.x`]],
  ["claims that are no JSON", [`Bearer e30.${Buffer.from("{").toString("base64url")}.x`]],
  ...[null, 7, "text", [], [good]].map(
    (claims) => [`claims that are ${JSON.stringify(claims)?.slice(0, 8)}`, [tokenOf(claims)]] as const,
  ),
  ["a token of 9,000 characters", [tokenOf({ ...good, padding: "x".repeat(9_000) })]],
  ...(["iss", "aud", "email", "email_verified", "exp"] as const).map(
    (claim) => [`no ${claim}`, [tokenOf(without(claim))]] as const,
  ),
  ...[
    "https://issuer.example",
    "https://accounts.google.com/",
    "http://accounts.google.com",
    "https://accounts.google.com.evil.example",
    "",
    ["https://accounts.google.com"],
  ].map((iss) => [`issuer ${JSON.stringify(iss)}`, [tokenOf({ ...good, iss })]] as const),
  ...[
    `http://${pusher.host}`,
    `https://${pusher.host}/`,
    `https://${pusher.host}/events`,
    `https://${pusher.host}:443`,
    pusher.host,
    "https://other.example",
    [good.aud],
    "*",
  ].map((aud) => [`audience ${JSON.stringify(aud)}`, [tokenOf({ ...good, aud })]] as const),
  ...[
    "other@local-project.iam.gserviceaccount.com",
    pusher.account.toUpperCase(),
    ` ${pusher.account}`,
    `${pusher.account}.evil.example`,
    [pusher.account],
    null,
  ].map((email) => [`account ${JSON.stringify(email)}`, [tokenOf({ ...good, email })]] as const),
  ...[false, "true", 1, null].map(
    (verified) =>
      [`email_verified ${JSON.stringify(verified)}`, [tokenOf({ ...good, email_verified: verified })]] as const,
  ),
  ...[nowMs / 1000, 0, -1, String(good.exp), null, true].map(
    (exp) => [`end ${JSON.stringify(exp)}`, [tokenOf({ ...good, exp })]] as const,
  ),
];

describe("a token with", () => {
  test.each(forgeries)("%s is refused, in words that repeat nothing of it", (_title, authorization) => {
    const ask = () => requirePlatformCaller(requestWith(...authorization), pusher.account, nowMs);
    expect(ask).toThrow(expect.objectContaining({ code: "caller_refused" }));
    expect(ask).toThrow(/^This function only answers its platform: (?:there is no|the token) [a-z' ]+\.$/i);
  });

  test("everything right is taken, to the last millisecond, in both spellings of the issuer", () => {
    const lastMs = good.exp * 1000 - 1;
    expect(requirePlatformCaller(requestWith(tokenOf(good)), pusher.account, lastMs)).toBe(good.aud);
    const old = tokenOf({ ...good, iss: "accounts.google.com" });
    expect(requirePlatformCaller(requestWith(old), pusher.account, lastMs)).toBe(good.aud);
  });
});

/** Every closed function; what is behind the gate is not there, so that whoever gets through breaks. */
const closed = (): Readonly<Record<string, readonly [WireHandler, string]>> => {
  const nothing = { clock: { now: () => nowMs }, log: () => {}, callerAccount: pusher.account } as never;
  const outlet = { open: () => ({ ledger: {}, settled: async () => {} }) };
  const consumers = openConsumerWorld();
  const writer = ledgerWriter({ ...(nothing as object), outlet, settlementsCaller: pusher.account } as never);
  return {
    "ledger-writer": [writer, "/complete"],
    "ledger-writer's queue": [writer, "/settle"],
    "webhook-dispatcher": [webhookDispatcher(nothing), "/deliver"],
    "dead-letter-recorder": [
      deadLetterRecorder({ ...(nothing as object), deadLetters: memoryDeadLetters() } as never),
      "/dead-letters",
    ],
    notification: [consumers.notification, "/events"],
    invoice: [consumers.invoice, "/events"],
    risk: [consumers.risk, "/events"],
  };
};

test.each(Object.keys(closed()))("%s answers none of them", async (name) => {
  const [handler, target] = closed()[name] ?? [];
  for (const [, authorization] of forgeries) {
    const response = await handler?.({ ...requestWith(...authorization), target: target ?? "" });
    expect(response?.status).toBe(403);
  }
});
