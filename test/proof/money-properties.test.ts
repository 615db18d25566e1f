// Random commands on several intents, with declines, retries, deaths at any call and sweeps: the money always adds up.
// It must never believe an answer: rows and the acquirer's journal are judged after every step.
import fc from "fast-check";
import { defaultTimings, keyIdentity } from "../../functions/domain/idempotency.ts";
import { sweep } from "../support/completer.ts";
import { settled } from "../support/patience.ts";
import { rowsAsText, withoutKey } from "../support/rows-as-text.ts";
import { openWorld, type Reply, type World } from "../support/world.ts";
import { diedWhole } from "./crash-support.ts";
import { moneyProblems, restProblems } from "./money-oracles.ts";

const { leaseMs, callTimeoutMs } = defaultTimings;
const intents = "/v1/payment_intents";

/** One request: on one of a few intents, so that requests meet; under one of some keys, so that keys meet too. */
interface Step {
  readonly act: (typeof acts)[number];
  readonly intent: number;
  readonly amount: number;
  readonly key: number;
  readonly death: Death | null;
}

/** Where the worker dies, and who comes after it. */
interface Death {
  readonly port: "ledger" | "acquirer" | "cache";
  readonly nth: number;
  readonly at: "before" | "after";
  readonly heir: "retry" | "completer" | "nobody";
}

const acts = [
  ...(["open", "pay", "hold", "pay declined", "pay, refund fails", "describe", "confirm", "confirm to hold"] as const),
  ...(["confirm declined", "capture", "capture part", "cancel", "refund", "refund part", "refund by charge"] as const),
  ...(["repeat", "sweep"] as const),
];

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...acts),
  intent: fc.nat(2),
  amount: fc.integer({ min: 1, max: 1_400 }),
  key: fc.nat(200),
  death: fc.option(
    fc.record({
      port: fc.constantFrom("ledger", "ledger", "acquirer", "cache"),
      nth: fc.integer({ min: 1, max: 4 }),
      at: fc.constantFrom("before", "after"),
      heir: fc.constantFrom("retry", "completer", "nobody"),
    }),
    { freq: 3 },
  ),
});

/** Dies with the money moved and nobody told. */
const afterTheEffect = { port: "acquirer", nth: 1, at: "after", heir: "nobody" } as const;

/** A sequence that meets every kind of end, so that the property is never true for want of one. */
const everyEnd = stepsOf([
  ["hold", 0, 1],
  ["capture part", 0, 2, 700],
  ["capture", 0, 3], // already captured
  ["refund part", 0, 4, 300],
  ["refund part", 0, 5, 500], // more than is left
  ["refund", 0, 6],
  ["refund", 0, 7], // already refunded
  ["pay, refund fails", 1, 8],
  ["refund by charge", 1, 9],
  ["open", 2, 10],
  ["refund", 2, 11], // nothing was taken
  ["confirm to hold", 2, 12],
  ["capture part", 2, 13, 1_400], // more than is held
  ["cancel", 2, 13], // mismatch
  ["cancel", 2, 14, 1, afterTheEffect],
  ["capture", 2, 15], // locked
  ["repeat", 2, 14],
  ["sweep", 0, 0],
  ["pay declined", 1, 16],
]);

/** Refunds that are left under way, so that others meet what they reserved. */
const reservations = stepsOf([
  ["pay", 0, 1],
  ["refund part", 0, 2, 600, afterTheEffect],
  ["refund part", 0, 3, 600], // more than is left beside the first one
  ["refund part", 0, 4, 200, { ...afterTheEffect, at: "before" }],
  ["refund part", 0, 5, 50],
  ["refund", 0, 6],
  ["refund part", 0, 7, 1],
  ["sweep", 0, 0],
]);

const seen = new Set<string>();

test("money adds up at every moment, and every retry has the first answer", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24, size: "max" }), runAll), {
    numRuns: 40,
    examples: [[everyEnd], [reservations]],
  });
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "200 payment_intent",
      "200 refund",
      "400 amount",
      "400 amount_to_capture amount_too_large",
      "400 charge_already_refunded",
      "400 idempotency_error",
      "400 payment_intent",
      "400 payment_intent_unexpected_state",
      "402 card_declined",
      "429 lock_timeout",
      "dead",
    ]),
  );
}, 60_000);

interface Request {
  readonly path: string;
  readonly form: string;
  readonly key: string;
}

/** What was asked and what came back; an answer of undefined was never heard. */
type Asked = Request & { readonly reply: Reply | undefined };

async function runAll(steps: readonly Step[]): Promise<void> {
  const world = await openWorld();
  const targets: (Target | undefined)[] = [];
  const history: Asked[] = [];
  for (const each of steps) {
    await runStep(world, targets, history, each);
    expect(await moneyProblems(world)).toEqual([]);
  }
  // Whoever was left behind is finished without a client, and every key then has an answer that stays.
  await world.clock.advance(leaseMs + callTimeoutMs + 1);
  await sweep(world);
  expect(await restProblems(world)).toEqual([]);
  for (const asked of [...history]) await ask(world, history, asked, null);
  expect(await restProblems(world)).toEqual([]);
}

interface Target {
  readonly id: string;
  readonly charge: string;
}

async function runStep(world: World, targets: (Target | undefined)[], history: Asked[], each: Step): Promise<void> {
  if (each.act === "sweep") {
    await world.clock.advance(leaseMs + callTimeoutMs + 1);
    await sweep(world);
    return;
  }
  const repeated = history[each.key % Math.max(1, history.length)];
  if (each.act === "repeat" && repeated === undefined) return;
  const request = each.act === "repeat" && repeated !== undefined ? repeated : requestOf(targets, each);
  const reply = await ask(world, history, request, each.death);
  const made = reply?.json.error?.payment_intent ?? reply?.json;
  if (made?.object === "payment_intent") {
    const index = targets.findIndex((target) => target?.id === made.id);
    targets[index === -1 ? each.intent : index] = { id: made.id, charge: made.latest_charge ?? "ch_none" };
  }
}

/** Sends a request, judges what its answer may have changed, and compares it with what the same request heard before. */
async function ask(world: World, history: Asked[], request: Request, death: Death | null): Promise<Reply | undefined> {
  const before = rowsAsText(world);
  const reply = await answerTo(world, request, death);
  seen.add(kindOf(reply));
  if (reply !== undefined && death === null) {
    const isRefused = reply.status >= 400 && reply.status !== 402 && reply.status < 500;
    const isReplayed = reply.headers["Idempotent-Replayed"] === "true";
    // An answer that stands under its key says so by this header; nothing else may leave even that row.
    const own = reply.headers["Original-Request"] === undefined || isReplayed ? undefined : keyHashOf(request);
    if (isRefused || (isReplayed && isHeard(history, request))) {
      expect(withoutKey(rowsAsText(world), own)).toEqual(withoutKey(before, own));
    }
  }
  for (const earlier of history) {
    if (!isSame(earlier, request) || !isFinal(earlier.reply) || reply === undefined) continue;
    expect([reply.status, reply.text]).toEqual([earlier.reply?.status, earlier.reply?.text]);
  }
  history.push({ ...request, reply });
  return reply;
}

/** The answer, or undefined when the worker died and nobody asked again. */
async function answerTo(world: World, { path, form, key }: Request, death: Death | null): Promise<Reply | undefined> {
  const post = (server: Pick<World, "post">) => server.post(path, form, { key, headers: { prefer: "wait=0" } });
  if (death === null) return await settled(world.clock, post(world.startServer()));
  const dying = world.startServer();
  dying.ports[death.port].disturbCall(death.nth, diedWhole(dying, death.at));
  let heard: Reply | undefined;
  void post(dying).then((reply) => {
    heard = reply;
  });
  await world.clock.advance(defaultTimings.pollMs);
  if (heard !== undefined) return heard;
  if (death.heir === "nobody") return undefined;
  await world.clock.advance(death.heir === "retry" ? leaseMs : leaseMs + callTimeoutMs + 1);
  if (death.heir === "completer") await sweep(world);
  return await settled(world.clock, post(world.startServer()));
}

function stepsOf(
  rows: readonly (readonly [act: Step["act"], intent: number, key: number, amount?: number, death?: Death])[],
): Step[] {
  return rows.map(([act, intent, key, amount = 1, death = null]) => ({ act, intent, key, amount, death }));
}

function requestOf(targets: readonly (Target | undefined)[], { act, intent, amount, key }: Step): Request {
  const { id, charge } = targets[intent] ?? { id: "pi_none", charge: "ch_none" };
  const on = (path: string, form = "") => ({ path: `${intents}/${id}${path}`, form, key: `key ${key}` });
  const create = (form: string) => ({
    path: intents,
    form: `amount=${900 + intent}&currency=usd${form}`,
    key: `key ${key}`,
  });
  const refund = (form: string) => ({ path: "/v1/refunds", form, key: `key ${key}` });
  const visa = "payment_method=pm_card_visa";
  const forms: Record<Exclude<Step["act"], "repeat" | "sweep">, Request> = {
    open: create(""),
    pay: create(`&confirm=true&${visa}`),
    hold: create(`&confirm=true&capture_method=manual&${visa}`),
    "pay declined": create("&confirm=true&payment_method=pm_card_chargeDeclined"),
    "pay, refund fails": create("&confirm=true&payment_method=pm_card_refundFail"),
    describe: on("", `metadata[n]=${amount}`),
    confirm: on("/confirm", visa),
    "confirm to hold": on("/confirm", `${visa}&capture_method=manual`),
    "confirm declined": on("/confirm", "payment_method=pm_card_chargeDeclined"),
    capture: on("/capture"),
    "capture part": on("/capture", `amount_to_capture=${amount}`),
    cancel: on("/cancel"),
    refund: refund(`payment_intent=${id}`),
    "refund part": refund(`payment_intent=${id}&amount=${amount}`),
    "refund by charge": refund(`charge=${charge}&amount=${amount}`),
  };
  return forms[act as keyof typeof forms];
}

function isSame(one: Request, other: Request): boolean {
  return one.key === other.key && one.path === other.path && one.form === other.form;
}

function isHeard(history: readonly Asked[], request: Request): boolean {
  return history.some((earlier) => isSame(earlier, request) && isFinal(earlier.reply));
}

/** An answer that the key keeps. */
function isFinal(reply: Reply | undefined): boolean {
  return reply?.headers["Original-Request"] !== undefined;
}

function keyHashOf({ key }: Request): string {
  return keyIdentity("acct_first", false, key);
}

function kindOf(reply: Reply | undefined): string {
  if (reply === undefined) return "dead";
  const { object, error } = reply.json;
  if (error === undefined) return `${reply.status} ${object}`;
  const named = [error.param, error.code].filter((word) => word !== undefined);
  return `${reply.status} ${named.length === 0 ? error.type : named.join(" ")}`;
}
