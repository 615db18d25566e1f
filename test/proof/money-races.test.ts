// Two commands at once on one payment, fifty times in fifty interleavings: one legal outcome each, and busy is busy.
// It must never let a loser go: whoever heard that the payment is busy asks again, and then hears the truth.
import { refuse } from "../../functions/domain/errors.ts";
import { settled } from "../support/patience.ts";
import { countRows, openWorld, type Reply, type World } from "../support/world.ts";
import { restProblems } from "./money-oracles.ts";

const intents = "/v1/payment_intents";
const folds = 50;

/** One of the racing requests; each has a key of its own. */
interface Racer {
  readonly path: string;
  readonly form: string;
}

interface Race {
  readonly title: string;
  /** Form of the create that makes the payment. */
  readonly given: string;
  readonly racers: (id: string) => readonly [Racer, Racer];
  /** What the payment may look like in the end: who won, and what the other one heard. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** What the acquirer may have done, beside the authorization of a payment that was confirmed before. */
  readonly effects: readonly string[];
}

const visa = "payment_method=pm_card_visa";
const open = `amount=2000&currency=usd&${visa}`;
const held = `${open}&confirm=true&capture_method=manual`;
const paid = "amount=10000&currency=usd&confirm=true&payment_method=pm_card_visa";
const on = (id: string, verb: string, form = ""): Racer => ({ path: `${intents}/${id}${verb}`, form });
const refundOf = (id: string, amount: number): Racer => ({
  path: "/v1/refunds",
  form: `payment_intent=${id}&amount=${amount}`,
});

const races: readonly Race[] = [
  {
    title: "two refunds of 60 on 100",
    given: paid,
    racers: (id) => [refundOf(id, 6_000), refundOf(id, 6_000)],
    outcomes: { "refund succeeded": "400 amount", "400 amount": "refund succeeded" },
    effects: ["refund 6000"],
  },
  {
    title: "two refunds of all",
    given: paid,
    racers: (id) => [refundOf(id, 10_000), refundOf(id, 10_000)],
    outcomes: { "refund succeeded": "400 charge_already_refunded", "400 charge_already_refunded": "refund succeeded" },
    effects: ["refund 10000"],
  },
  {
    title: "a capture and a cancel",
    given: held,
    racers: (id) => [on(id, "/capture"), on(id, "/cancel")],
    outcomes: { "payment_intent succeeded": "400 succeeded", "400 canceled": "payment_intent canceled" },
    effects: ["capture 2000", "void 2000"],
  },
  {
    title: "two captures of parts",
    given: held,
    racers: (id) => [on(id, "/capture", "amount_to_capture=700"), on(id, "/capture", "amount_to_capture=800")],
    outcomes: { "payment_intent succeeded": "400 succeeded", "400 succeeded": "payment_intent succeeded" },
    effects: ["capture 700", "capture 800"],
  },
  {
    title: "a confirm and a cancel",
    given: open,
    racers: (id) => [on(id, "/confirm"), on(id, "/cancel")],
    outcomes: { "payment_intent succeeded": "400 succeeded", "400 canceled": "payment_intent canceled" },
    effects: ["authorize 2000", ""],
  },
  {
    title: "two confirms with two keys",
    given: open,
    racers: (id) => [on(id, "/confirm"), on(id, "/confirm", visa)],
    outcomes: { "payment_intent succeeded": "400 succeeded", "400 succeeded": "payment_intent succeeded" },
    effects: ["authorize 2000"],
  },
  {
    title: "two cancels",
    given: held,
    racers: (id) => [on(id, "/cancel"), on(id, "/cancel", "cancellation_reason=duplicate")],
    outcomes: { "payment_intent canceled": "400 canceled", "400 canceled": "payment_intent canceled" },
    effects: ["void 2000"],
  },
];

test.each(races)(
  "$title: one of them wins, the other hears so, and there is one effect",
  async (race) => {
    const winners = new Set<string>();
    for (let fold = 0; fold < folds; fold += 1) {
      const { world, id } = await openRace(race.given);
      const before = (await effects(world)).length;
      const [first, second] = await run(world, race.racers(id), fold);

      expect(race.outcomes).toHaveProperty([ending(first)], ending(second));
      winners.add(ending(first));
      const done = (await effects(world)).slice(before);
      expect(race.effects).toContain(done.join());
      expect(await restProblems(world)).toEqual([]);
    }
    // Each of the two wins some time, or the interleavings are none.
    expect([...winners].sort()).toEqual(Object.keys(race.outcomes).sort());
  },
  20_000,
);

test("an update of the amount and a confirm: what was agreed is what is taken, and what is shown", async () => {
  const amounts = new Set<number>();
  for (let fold = 0; fold < folds; fold += 1) {
    const { world, id } = await openRace(open);
    const [update, confirm] = await run(world, [on(id, "", "amount=2500"), on(id, "/confirm")], fold);

    const after = (await world.get(`${intents}/${id}?expand[]=latest_charge`)).json;
    expect([confirm.status, after.status]).toEqual([200, "succeeded"]);
    expect(after).toMatchObject({ amount_received: after.amount, latest_charge: { amount: after.amount } });
    expect(await effects(world)).toEqual([`authorize ${after.amount}`]);
    if (after.amount === 2500) expect([update.status, update.json.amount]).toEqual([200, 2500]);
    else expect([after.amount, ending(update)]).toEqual([2000, "400 succeeded"]);
    amounts.add(after.amount);
    expect(await restProblems(world)).toEqual([]);
  }
  expect([...amounts].sort()).toEqual([2000, 2500]);
}, 20_000);

describe("F25 contention is not poverty: 50 refunds of 1 on 50", () => {
  test.each([
    ["over two processes", () => {}],
    [
      "with commits of unknown outcome and a store that fails between",
      (server: Pick<World, "ports">, index: number) => {
        const at = index % 2 === 0 ? "before" : "after";
        const code = index % 3 === 0 ? "commit_unknown" : "store_unavailable";
        server.ports.ledger.disturb("transact", { at, act: "throw", error: refuse(code, "injected") }, 1 + (index % 2));
      },
    ],
  ])("%s: all succeed in the end, and none ever hears that there is too little", async (_, disturb) => {
    const { world, id } = await openRace("amount=50&currency=usd&confirm=true&payment_method=pm_card_visa");
    const heard: string[] = [];
    const refund = async (index: number) => {
      const server = world.startServer();
      disturb(server, index);
      return await persist(server, refundOf(id, 1), `refund ${index}`, heard);
    };

    const refunds = Array.from({ length: 50 }, (_none, index) => refund(index));
    const replies = await settled(world.clock, Promise.all(refunds));

    expect(new Set(replies.map(ending))).toEqual(new Set(["refund succeeded"]));
    for (const word of new Set(heard)) expect(["429 lock_timeout", "503 api_error", "500 api_error"]).toContain(word);
    expect((await world.get(`/v1/charges/${replies[0]?.json.charge}`)).json).toMatchObject({
      amount_refunded: 50,
      refunded: true,
    });
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(50);
    expect(await effects(world)).toHaveLength(51);
    expect(countRows(world).bookings).toBe(51);
    expect(world.ledger.conflicts()).toBeGreaterThan(0);
    expect(await restProblems(world)).toEqual([]);
  });
});

async function openRace(form: string): Promise<{ world: World; id: string }> {
  const world = await openWorld();
  return { world, id: (await world.post(intents, form)).json.id };
}

/** Both at once on two processes, each held back by some turns of the event loop: 7 by 8 ways, of which 50 are used. */
async function run(world: World, [one, other]: readonly [Racer, Racer], fold: number): Promise<[Reply, Reply]> {
  const start = async (racer: Racer, key: string, turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return await persist(world.startServer(), racer, key, []);
  };
  const both = Promise.all([start(one, "one", fold % 7), start(other, "other", Math.floor(fold / 7))]);
  return await settled(world.clock, both);
}

/** Asks until the answer is final; what it heard on the way goes into the list. */
async function persist(server: Pick<World, "post">, racer: Racer, key: string, heard: string[]): Promise<Reply> {
  for (let tries = 0; tries < 100; tries += 1) {
    const reply = await server.post(racer.path, racer.form, { key });
    if (reply.headers["Stripe-Should-Retry"] !== "true") return reply;
    heard.push(ending(reply));
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`No end after 100 tries: ${heard.slice(-3).join()}`);
}

/** What an answer comes to in two words: an object and its status, or a refusal and what it names. */
function ending({ status, json }: Reply): string {
  if (json.error === undefined) return `${json.object} ${json.status}`;
  const { payment_intent: intent, code, param, type } = json.error;
  return `${status} ${intent?.status ?? code ?? param ?? type}`;
}

async function effects(world: World): Promise<string[]> {
  const lines = await world.journal.list(1_000);
  return lines.map(({ kind, amountMinor }) => `${kind} ${amountMinor}`);
}
