// Every command in every state, through the API's front: status, code, and the intent inside of a refusal.
// It must never leave a pair out: the type of the table demands all of them.
import { expectValid } from "../support/schemas.ts";
import { openWorld, type Reply, type World } from "../support/world.ts";

const intents = "/v1/payment_intents";
const visa = "payment_method=pm_card_visa";
const held = `confirm=true&${visa}&capture_method=manual`;

/** How an intent comes into each state: its create, and then perhaps a command whose worker dies at the acquirer. */
const states = {
  requires_payment_method: { form: "" },
  requires_confirmation: { form: visa },
  processing: { form: visa, dies: { verb: "authorize", path: "/confirm" } },
  requires_action: { form: "confirm=true&payment_method=pm_card_threeDSecure2Required" },
  "processing, settled later": {
    form: "confirm=true&payment_method_types[]=us_bank_account&payment_method=pm_usBankAccount_success",
  },
  requires_capture: { form: held },
  "requires_capture, capture under way": { form: held, dies: { verb: "capture", path: "/capture" } },
  "requires_capture, void under way": { form: held, dies: { verb: "void", path: "/cancel" } },
  succeeded: { form: `confirm=true&${visa}` },
  canceled: { form: visa, closedBy: "/cancel" },
  "canceled, once authorized": { form: held, closedBy: "/cancel" },
  "declined before": { form: "confirm=true&payment_method=pm_card_chargeDeclined" },
} as const satisfies Record<string, StateDescription>;

interface StateDescription {
  readonly form: string;
  readonly closedBy?: string;
  readonly dies?: { readonly verb: "authorize" | "capture" | "void"; readonly path: string };
}

/** Each command as a path after the intent's, and its form; a refund is about the intent. */
const commands = {
  describe: ["", "description=Tea"],
  "change the amount": ["", "amount=2500"],
  "change the method": ["", "payment_method=pm_card_mastercard"],
  confirm: ["/confirm", ""],
  "confirm with a method": ["/confirm", visa],
  "confirm with a method that is declined": ["/confirm", "payment_method=pm_card_chargeDeclined"],
  capture: ["/capture", ""],
  "capture a part": ["/capture", "amount_to_capture=700"],
  "capture too much": ["/capture", "amount_to_capture=2001"],
  cancel: ["/cancel", "cancellation_reason=duplicate"],
  refund: ["refund", ""],
  "refund too much": ["refund", "amount=2001"],
} as const;

type State = keyof typeof states;
type CommandName = keyof typeof commands;

/** Done, and the status then; or refused: HTTP status, code, parameter, and the status of the intent inside. */
type Expected = { done: string } | { refused: readonly [number, string | undefined, string?]; inside?: string };

const done = (status: string): Expected => ({ done: status });
const wrongState = (inside: string): Expected => ({ refused: [400, "payment_intent_unexpected_state"], inside });
const locked: Expected = { refused: [429, "lock_timeout"] };
const tooMuch: Expected = { refused: [400, "amount_too_large", "amount_to_capture"] };
const declined: Expected = { refused: [402, "card_declined"], inside: "requires_payment_method" };
const nothingToRefund: Expected = { refused: [400, undefined, "payment_intent"] };

const notHeld = (status: string) => ({
  capture: wrongState(status),
  "capture a part": wrongState(status),
  "capture too much": wrongState(status),
});
const noRefund = { refund: nothingToRefund, "refund too much": nothingToRefund };
const noMoreMoney = (status: string) => ({
  "change the amount": wrongState(status),
  "change the method": wrongState(status),
  confirm: wrongState(status),
  "confirm with a method": wrongState(status),
  "confirm with a method that is declined": wrongState(status),
});
const openIntent = {
  "change the method": done("requires_confirmation"),
  "confirm with a method": done("succeeded"),
  "confirm with a method that is declined": declined,
  cancel: done("canceled"),
  ...noRefund,
};
const withoutMethod = {
  ...openIntent,
  describe: done("requires_payment_method"),
  "change the amount": done("requires_payment_method"),
  confirm: wrongState("requires_payment_method"),
  ...notHeld("requires_payment_method"),
};
const ended = (status: string) => ({
  describe: done(status),
  ...noMoreMoney(status),
  ...notHeld(status),
  cancel: wrongState(status),
  ...noRefund,
});
/** A refund needs no slot, and finds nothing captured. */
const taken = {
  ...(Object.fromEntries(Object.keys(commands).map((name) => [name, locked])) as Record<CommandName, Expected>),
  ...noRefund,
};

const table: Record<State, Record<CommandName, Expected>> = {
  requires_payment_method: withoutMethod,
  "declined before": withoutMethod,
  requires_confirmation: {
    ...openIntent,
    describe: done("requires_confirmation"),
    "change the amount": done("requires_confirmation"),
    confirm: done("succeeded"),
    ...notHeld("requires_confirmation"),
  },
  processing: taken,
  requires_action: {
    ...openIntent,
    describe: done("requires_action"),
    "change the amount": done("requires_confirmation"),
    // The same card asks again.
    confirm: done("requires_action"),
    ...notHeld("requires_action"),
  },
  "processing, settled later": ended("processing"),
  requires_capture: {
    describe: done("requires_capture"),
    ...noMoreMoney("requires_capture"),
    capture: done("succeeded"),
    "capture a part": done("succeeded"),
    "capture too much": tooMuch,
    cancel: done("canceled"),
    ...noRefund,
  },
  "requires_capture, capture under way": taken,
  "requires_capture, void under way": taken,
  succeeded: {
    ...ended("succeeded"),
    refund: done("succeeded"),
    "refund too much": { refused: [400, undefined, "amount"] },
  },
  canceled: ended("canceled"),
  "canceled, once authorized": ended("canceled"),
};

describe.each(Object.keys(states) as State[])("an intent that is: %s", (state) => {
  test.each(Object.keys(commands) as CommandName[])("%s", async (name) => {
    // given
    const world = await openWorld();
    const id = await intentIn(world, states[state]);
    const before = await world.get(`${intents}/${id}`);
    // when
    const reply = await send(world, id, name);
    // then
    const expected = table[state][name];
    const after = await world.get(`${intents}/${id}`);
    if ("done" in expected) {
      expect([reply.status, reply.json.status]).toEqual([200, expected.done]);
      expectValid(name.startsWith("refund") ? "refund" : "payment_intent", reply.json);
      if (!name.startsWith("refund")) expect(after.text).toBe(reply.text);
    } else {
      expectRefused(reply, expected);
      if (reply.status === 402) expect(reply.json.error.payment_intent).toEqual(after.json);
      else expect(after.text).toBe(before.text);
    }
    // and the same key gives the same answer, unless the answer was to try again
    const again = await send(world, id, name);
    expect([again.status, again.headers["Idempotent-Replayed"]]).toEqual([
      reply.status,
      reply.status === 429 ? undefined : "true",
    ]);
    expect(again.text).toBe(reply.text);
  });
});

function expectRefused(
  reply: Reply,
  { refused: [status, code, param], inside }: Extract<Expected, { refused: unknown }>,
) {
  const { error } = reply.json;
  expectValid("error", reply.json);
  expect([reply.status, error.code, error.param]).toEqual([status, code, param]);
  expect(error.payment_intent?.status).toBe(inside);
  expect(error.type).toBe(status === 402 ? "card_error" : "invalid_request_error");
  expect(reply.headers["Stripe-Should-Retry"]).toBe(status === 429 ? "true" : "false");
}

async function intentIn(world: World, { form, closedBy, dies }: StateDescription): Promise<string> {
  const { json } = await world.post(intents, `amount=2000&currency=usd&${form}`);
  const id = String(json.id ?? json.error.payment_intent.id);
  if (closedBy !== undefined) expect((await world.post(`${intents}/${id}${closedBy}`, "")).status).toBe(200);
  if (dies !== undefined) {
    const dying = world.startServer();
    dying.ports.acquirer.disturb(dies.verb, { at: "before", act: "die" });
    void dying.post(`${intents}/${id}${dies.path}`, "", { key: "dies" });
    await world.clock.advance(0);
  }
  return id;
}

function send(world: World, id: string, name: CommandName): Promise<Reply> {
  const [path, form] = commands[name];
  if (path !== "refund") return world.post(`${intents}/${id}${path}`, form, { key: "K" });
  return world.post("/v1/refunds", `payment_intent=${id}&${form}`, { key: "K" });
}
