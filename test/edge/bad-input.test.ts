// Every field of every call, wrong in every way: the contract's error with the right `param`, nothing stored, the key not burned.
// It must never skip a field: the list of fields is compared with what the code looks for.

import { systemRandom } from "../../functions/adapters/system.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { expectValid } from "../support/schemas.ts";
import { countRows, openWorld, type Reply, type World } from "../support/world.ts";
import { formWith, type Verdict, verdictsOn, type Way, ways } from "./bad-values.ts";
import { declaredFields, type EndpointDescription, endpoints } from "./payment-endpoints.ts";

/** What a refusal must not change. */
const stored = (world: World) => ({ ...countRows(world), claims: world.cache.records().size });

const verdictOf = ({ status, json }: Reply): Verdict => {
  if (status === 200) return "accepted";
  expectValid("error", json);
  return { status, type: json.error.type, code: json.error.code, param: json.error.param };
};

/** A world with an intent that was paid, so that it has a charge. */
async function openPaidWorld() {
  const world = await openWorld();
  const paid = await world.post("/v1/payment_intents", `${openForm}&confirm=true`);
  return { world, charge: String(paid.json.latest_charge) };
}

const openForm = "amount=900&currency=usd&payment_method=pm_card_visa";

/** A path of the call; an intent in it is new, and open to updates, confirms and cancels. */
async function pathOf(endpoint: EndpointDescription, { world, charge }: Awaited<ReturnType<typeof openPaidWorld>>) {
  const unnamed = endpoint.path({ intent: "pi_any", charge });
  if (!unnamed.includes("pi_any")) return unnamed;
  const created = await world.post("/v1/payment_intents", openForm);
  return endpoint.path({ intent: String(created.json.id), charge });
}

/** Sends the form under the key, in the query where the call has no body. */
function call(world: World, endpoint: EndpointDescription, path: string, form: string, key: string): Promise<Reply> {
  if (endpoint.method === "POST") return world.post(path, form, { key });
  return world.get(`${path}?${form.replaceAll(/[^ -~]+/g, encodeURIComponent)}`);
}

describe.each(endpoints.map((endpoint) => [endpoint.title, endpoint] as const))("%s", (_, endpoint) => {
  test("looks for exactly the fields of this table", async () => {
    const world = await openWorld();
    const deps = { ledger: world.ledger, clock: world.clock, random: systemRandom, renderer: wireRenderer() };
    const listed = endpoint.fields.filter(({ entry }) => entry === undefined).map(({ name }) => name);
    expect(await declaredFields(endpoint, deps)).toEqual(listed.sort());
  });

  test.each(endpoint.fields.map((field) => [field.name, field] as const))(
    "F14 %s, wrong in each way, is refused by name or taken, and a refusal leaves nothing behind",
    async (_name, field) => {
      const opened = await openPaidWorld();
      const { world } = opened;
      const expected = verdictsOn(field);
      const everyWay = Object.keys(ways) as Way[];
      const paths = new Map<Way, string>();
      for (const way of everyWay) paths.set(way, await pathOf(endpoint, opened));
      const send = async (way: Way, form: string) =>
        [way, await call(world, endpoint, paths.get(way) ?? "", form, way)] as const;
      const sendAll = async (which: readonly Way[], form: (way: Way) => string) =>
        Object.fromEntries(await Promise.all(which.map((way) => send(way, form(way))))) as Record<Way, Reply>;
      const refusedWays = everyWay.filter((way) => expected[way] !== "accepted");
      const before = stored(world);

      const refusals = await sendAll(refusedWays, (way) => formWith(endpoint.base, field, way));
      const after = stored(world);
      const takenWays = everyWay.filter((way) => expected[way] === "accepted");
      const taken = await sendAll(takenWays, (way) => formWith(endpoint.base, field, way));

      const replies = Object.entries({ ...refusals, ...taken });
      expect(Object.fromEntries(replies.map(([way, reply]) => [way, verdictOf(reply)]))).toEqual(expected);
      expect(after).toEqual(before);
      const corrected = await sendAll(refusedWays, () => endpoint.base.join("&"));
      for (const { status, headers } of Object.values(corrected)) {
        expect({ status, replayed: headers["Idempotent-Replayed"] }).toEqual({ status: 200 });
      }
    },
  );

  test.each(["zzz", "amont", "__proto__", "constructor", "toString", "Amount", "é", "0"])(
    "an unknown parameter %s is refused by name, and leaves nothing behind",
    async (name) => {
      const opened = await openPaidWorld();
      const { world } = opened;
      const path = await pathOf(endpoint, opened);
      const form = [...endpoint.base, `${encodeURIComponent(name)}=1`].join("&");
      const before = stored(world);
      const reply = await call(world, endpoint, path, form, "k");
      expect(verdictOf(reply)).toEqual({
        status: 400,
        type: "invalid_request_error",
        code: "parameter_unknown",
        param: name,
      });
      expect(reply.json.error.message).toBe(`Received unknown parameter: ${name}`);
      expect(stored(world)).toEqual(before);
    },
  );
});
