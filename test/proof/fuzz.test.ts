// Fuzzes the API's contract: whatever comes in, JSON of the contract's shape goes out, never a 5xx, and a refusal stores nothing.
// It must never end at another time than its numbers say: by a count of requests here, by the clock with `npm run fuzz`.
import type { WireRequest } from "../../functions/edge/wire.ts";
import type { ObjectIds } from "../edge/endpoint-description.ts";
import { settled } from "../support/patience.ts";
import { rowsAsText } from "../support/rows-as-text.ts";
import { openWorld, payForm, type World } from "../support/world.ts";
import { declaredRoots, fuzzedRequest, rootOf, seeded } from "./fuzz-requests.ts";

/** `npm run fuzz` sets these; without them a small run with one seed. */
const seconds = Number(process.env["FUZZ_SECONDS"] ?? 0);
const firstSeed = Number(process.env["FUZZ_SEED"] ?? 20_261_129);

/** Requests to one world: enough for keys and objects to meet, few enough for looking at all rows after each. */
const requestsPerSeed = 80;

/** Statuses that the contract has (section 4); 5xx are none of a client's. */
const statuses = new Set([200, 400, 401, 402, 404, 405, 409, 413, 415, 429]);

test(
  "any request gets an answer of the contract, and one that is refused stores nothing",
  async () => {
    const endMs = performance.now() + seconds * 1_000;
    const tally = new Map<string, number>();
    let seed = firstSeed;
    do {
      await fuzz(seed, tally);
      seed += 1;
    } while (performance.now() < endMs);

    if (seconds > 0) process.stdout.write(`${report(tally, seed - firstSeed)}\n`);
    // A run in which nothing is paid, or nothing refused, would show little.
    expect(Math.min(tally.get("200") ?? 0, tally.get("400") ?? 0, tally.get("404") ?? 0)).toBeGreaterThan(0);
  },
  (seconds + 30) * 1_000,
);

/** One world, and what is wrong with it is thrown with the command that shows it again. */
async function fuzz(seed: number, tally: Map<string, number>): Promise<void> {
  const random = seeded(seed);
  const world = await openWorld();
  const known: ObjectIds[] = [await objects(world)];
  for (let nth = 1; nth <= requestsPerSeed; nth += 1) {
    const request = fuzzedRequest(random, known);
    const problems = await problemsOf(world, request, tally);
    if (problems.length === 0) continue;
    const shown = { ...request, headers: [...request.headers], body: request.body.toString("utf8").slice(0, 500) };
    throw new Error(`npm run fuzz -- --seed ${seed}: request ${nth}: ${problems.join("; ")}\n${JSON.stringify(shown)}`);
  }
}

async function objects(world: World): Promise<ObjectIds> {
  const intent = (await world.post("/v1/payment_intents", payForm)).json;
  const refund = (await world.post("/v1/refunds", `charge=${intent.latest_charge}&amount=5`)).json;
  const endpoint = (await world.post("/v1/webhook_endpoints", "url=https://shop.example/&enabled_events[]=*")).json;
  return { intent: intent.id, charge: intent.latest_charge, refund: refund.id, endpoint: endpoint.id };
}

async function problemsOf(world: World, request: WireRequest, tally: Map<string, number>): Promise<string[]> {
  const before = standing(world);
  // The world's handler holds every answer against the schemas, and throws for one that is no JSON.
  const response = await settled(world.clock, world.handler(request));
  const body = JSON.parse(response.body.toString("utf8"));
  tally.set(String(response.status), (tally.get(String(response.status)) ?? 0) + 1);
  const problems = statuses.has(response.status) ? [] : [`status ${response.status}`];
  if (response.status < 400) return problems;
  const { code, param, message } = body.error;
  if (typeof message !== "string" || message === "") problems.push("an error without a message");
  if (String(code).startsWith("parameter_") && !isNamed(request, param)) problems.push(`names ${param}`);
  if (response.status !== 402 && standing(world) !== before)
    problems.push(`${response.status} ${code} stored something`);
  return problems;
}

/** The parameter that is named stands in the request, or is one that the API knows and misses. */
function isNamed(request: WireRequest, param: unknown): boolean {
  if (typeof param !== "string" || param === "") return false;
  const text =
    `${request.target} ${request.body.toString("utf8")} ${[...request.headers.keys()].join(" ")}`.toLowerCase();
  const root = rootOf(param);
  return declaredRoots.has(root) || [root, encodeURIComponent(root)].some((each) => text.includes(each.toLowerCase()));
}

/** Everything that stands but keys: a refusal that was decided on what stands is kept under its own. */
function standing(world: World): string {
  const { idempotency_keys: _keys, ...rows } = rowsAsText(world);
  return JSON.stringify([rows, world.webhookEndpoints.everything(), world.deliveries.everything()]);
}

function report(tally: ReadonlyMap<string, number>, seeds: number): string {
  const counts = [...tally].sort().map(([status, count]) => `${count} × ${status}`);
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  return `seeds ${firstSeed} to ${firstSeed + seeds - 1}, ${total} requests: ${counts.join(", ")}`;
}
