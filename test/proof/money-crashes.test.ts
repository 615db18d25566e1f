// A worker dies at every call to a store or to the acquirer, and no client comes back: one sweep finishes what was begun.
// It must never retry for the client before the sweep has been judged.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { sweep } from "../support/completer.ts";
import { settled } from "../support/patience.ts";
import { rowsAsText } from "../support/rows-as-text.ts";
import { countRows, openWorld, type World } from "../support/world.ts";
import { died, diedWhole, door } from "./crash-support.ts";
import { restProblems } from "./money-oracles.ts";

const intents = "/v1/payment_intents";
const visa = "payment_method=pm_card_visa";
const { leaseMs, callTimeoutMs } = defaultTimings;

/** A command, and what its payment looks like without it and with it. */
interface Command {
  readonly title: string;
  /** Form of the create before; none when the command is the create itself. */
  readonly given?: string;
  readonly path: (id: string) => string;
  readonly form: (id: string) => string;
  /** The payment in one word: untouched, and done. */
  readonly from: string;
  readonly to: string;
  /** Effects of the command at the acquirer. */
  readonly effects: number;
  /** The acquirer accepts it at once and ends it later, so a second sweep has something to do. */
  readonly endsLater?: true;
}

const open = `amount=2000&currency=usd&${visa}`;
const held = `${open}&confirm=true&capture_method=manual`;
const on = (verb: string, form = "") => ({ path: (id: string) => `${intents}/${id}${verb}`, form: () => form });
const refund = (form: string) => ({ path: () => "/v1/refunds", form: (id: string) => `payment_intent=${id}${form}` });

const commands: readonly Command[] = [
  {
    title: "a create with confirm",
    path: () => intents,
    form: () => `${open}&confirm=true`,
    from: "nothing",
    to: "succeeded 2000 -0",
    effects: 1,
  },
  {
    title: "a confirm",
    given: open,
    ...on("/confirm"),
    from: "requires_confirmation 0 -0",
    to: "succeeded 2000 -0",
    effects: 1,
  },
  {
    title: "a confirm to hold",
    given: open,
    ...on("/confirm", "capture_method=manual"),
    from: "requires_confirmation 0 -0",
    to: "requires_capture 0 -0",
    effects: 1,
  },
  {
    title: "a confirm that is declined",
    given: "amount=2000&currency=usd",
    ...on("/confirm", "payment_method=pm_card_chargeDeclined"),
    from: "requires_payment_method 0 -0",
    to: "requires_payment_method 0 -0",
    effects: 1,
  },
  {
    title: "a capture",
    given: held,
    ...on("/capture", "amount_to_capture=700"),
    from: "requires_capture 0 -0",
    to: "succeeded 700 -0",
    effects: 1,
  },
  {
    title: "a cancel of what is held",
    given: held,
    ...on("/cancel"),
    from: "requires_capture 0 -0",
    to: "canceled 0 -0",
    effects: 1,
  },
  {
    title: "a cancel of what was never confirmed",
    given: open,
    ...on("/cancel"),
    from: "requires_confirmation 0 -0",
    to: "canceled 0 -0",
    effects: 0,
  },
  {
    title: "a refund",
    given: `${open}&confirm=true`,
    ...refund("&amount=300"),
    from: "succeeded 2000 -0",
    to: "succeeded 2000 -300",
    effects: 1,
  },
  {
    title: "a refund that ends later",
    given: "amount=2000&currency=usd&confirm=true&payment_method=pm_card_refundFail",
    ...refund(""),
    from: "succeeded 2000 -0",
    to: "succeeded 2000 -0",
    effects: 1,
    endsLater: true,
  },
  {
    title: "a create with a payment that ends later",
    path: () => intents,
    form: () =>
      "amount=2000&currency=usd&confirm=true&payment_method_types[]=us_bank_account&payment_method=pm_usBankAccount_success",
    from: "nothing",
    to: "succeeded 2000 -0",
    effects: 1,
    endsLater: true,
  },
];

const ports = ["ledger", "acquirer", "cache"] as const;

describe.each(commands)("$title whose worker dies", (command) => {
  test.each(ports)("at any call to the %s is finished by one sweep, once, or was never begun", async (port) => {
    const clean = await openPayment(command);
    const answer = await settled(clean.world.clock, send(clean.world, command, clean.id, "clean"));
    const calls = clean.world.ports[port].calls.length - clean.before[port];
    if (command.endsLater) {
      await clean.world.clock.advance(leaseMs);
      await sweep(clean.world);
    }
    const whole = { state: stateOf(clean.world), rows: countRows(clean.world), effects: await effectsOf(clean) };
    expect([whole.state, whole.effects]).toEqual([command.to, command.effects]);
    if (port !== "acquirer" || command.effects > 0) expect(calls).toBeGreaterThan(0);

    for (let nth = 1; nth <= calls; nth += 1) {
      for (const at of ["before", "after"] as const) {
        const place = `${at} call ${nth}`;
        // given
        const opened = await openPayment(command);
        const { world, id } = opened;
        const dying = world.startServer();
        const untouched = { state: command.from, rows: countRows(world), effects: 0 };
        dying.ports[port].disturbCall(nth, diedWhole(dying, at));
        void send(dying, command, id, "crash");
        await world.clock.advance(leaseMs + callTimeoutMs + 1);
        const begun = world.ledger.rows("idempotency_keys").length > untouched.rows.keys;
        // when
        await sweep(world);
        // What the sweep only got accepted falls due a little later.
        if (command.endsLater) {
          await world.clock.advance(leaseMs);
          await sweep(world);
        }
        // then
        const found = { state: stateOf(world), rows: countRows(world), effects: await effectsOf(opened) };
        expect({ place, ...found }).toEqual({ place, ...(begun ? whole : untouched) });
        expect({ place, problems: await restProblems(world) }).toEqual({ place, problems: [] });
        // A second sweep at once finds nothing more to do.
        expect({ place, ...(await sweep(world)) }).toEqual({ place, settled: 0, left: 0 });
        // and a client that comes back after all hears what a client would have heard at once
        const late = await settled(world.clock, send(world.startServer(), command, id, "crash"));
        expect([place, late.status, late.headers["Idempotent-Replayed"]]).toEqual([
          place,
          answer.status,
          begun ? "true" : undefined,
        ]);
        if (command.endsLater) {
          await world.clock.advance(leaseMs);
          await sweep(world);
        }
        expect({ place, rows: countRows(world), effects: await effectsOf(opened) }).toEqual({
          place,
          rows: whole.rows,
          effects: whole.effects,
        });
      }
    }
  });

  test("at the first of its calls was never begun, at the acquirer always", async () => {
    for (const [port, begun] of [
      ["ledger", false],
      ["acquirer", true],
    ] as const) {
      if (port === "acquirer" && command.effects === 0) continue;
      const { world, id } = await openPayment(command);
      const keys = countRows(world).keys;
      const dying = world.startServer();
      dying.ports[port].disturbCall(1, died("before"));
      void send(dying, command, id, "crash");
      await world.clock.advance(leaseMs);
      expect([port, countRows(world).keys > keys]).toEqual([port, begun]);
    }
  });
});

describe.each(commands.filter(({ effects, endsLater }) => effects > 0 && !endsLater))(
  "$title whose worker sleeps",
  (command) => {
    test.each(["before", "after"] as const)(
      "%s its effect is finished by the sweep; awake, it says what was said, and changes nothing",
      async (at) => {
        // given a worker that sleeps at the acquirer until everything has been done for it
        const opened = await openPayment(command);
        const { world, id } = opened;
        const slow = world.startServer();
        const pause = door();
        slow.ports.acquirer.disturbCall(1, { at, act: "wait", until: pause.opened });
        const late = send(slow, command, id, "slow");
        await world.clock.advance(leaseMs + callTimeoutMs + 1);
        expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
        const rows = rowsAsText(world);
        // when
        pause.open();
        const reply = await settled(world.clock, late);
        // then
        const again = await settled(world.clock, send(world.startServer(), command, id, "slow"));
        expect([reply.text, reply.headers["Idempotent-Replayed"]]).toEqual([again.text, "true"]);
        expect(rowsAsText(world)).toEqual(rows);
        expect(await effectsOf(opened)).toBe(1);
        expect(await restProblems(world)).toEqual([]);
      },
    );
  },
);

/** A payment before the command, and how often each port had been called by then. */
async function openPayment({ given }: Command) {
  const world = await openWorld();
  const id: string = given === undefined ? "pi_none" : (await world.post(intents, given)).json.id;
  const callsOf = (port: (typeof ports)[number]) => world.ports[port].calls.length;
  const before = { ledger: callsOf("ledger"), acquirer: callsOf("acquirer"), cache: callsOf("cache") };
  return { world, id, before, lines: (await world.journal.list(100)).length };
}

function send(server: Pick<World, "post">, { path, form }: Command, id: string, key: string) {
  return server.post(path(id), form(id), { key });
}

/** Status, what was taken and what was given back, of the one payment there is. */
function stateOf(world: World): string {
  const [intent] = world.ledger.rows("payment_intents");
  if (intent === undefined) return "nothing";
  const charge = world.ledger.rows("charges").find(({ id }) => id === intent.latestChargeId);
  return `${intent.status} ${intent.amountReceivedMinor} -${charge?.refundedMinor ?? 0}`;
}

async function effectsOf({ world, lines }: { world: World; lines: number }): Promise<number> {
  return (await world.journal.list(100)).length - lines;
}
