// One cell of the matrix: an operation whose n-th call of a method fails in one way, and what must be true afterwards.
// It must never forgive: an answer that differs, a second effect or anything left under way makes the cell red.
import type { Fault } from "../support/grpc-proxy.ts";
import type { Reply } from "../support/world.ts";
import { askDispatcher, askWriter, type Instances, type Operation, type Ready } from "./operations.ts";
import { pictureOf } from "./picture.ts";
import type { Product, System } from "./system.ts";

/** A call of an operation: the n-th of its method to that product. */
export interface Place {
  readonly product: Product;
  readonly method: string;
  readonly nth: number;
}

/** The ways in which a call fails. */
export const faults = {
  "unavailable before": { when: "before", status: 14 },
  "reply lost": { when: "after", status: 14 },
  aborted: { when: "before", status: 10 },
  "deadline after": { when: "after", status: 4 },
  "connection reset": { when: "after", status: "reset" },
} as const satisfies Record<string, Pick<Fault, "when" | "status">>;

/** One of them. */
export type FaultName = keyof typeof faults;

/** `again`: the caller asks again until it is served. `alone`: nobody asks again, and jobs, queues and sweeps have to do it. */
export type Mode = "again" | "alone";

/** What an operation does when nothing fails: its calls, and what there is before and after it. */
export interface Sound {
  readonly places: readonly Place[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Runs an operation without a fault and looks at what it calls. */
export async function soundRun(system: System, operation: Operation): Promise<Sound> {
  const ready = await operation.prepare(system);
  const before = await whatIs(system, ready);
  resetAll(system);
  const instances = system.startInstances();
  const reply = await ready.send(instances);
  if (reply.status !== 200) throw new Error(`${operation.name} without a fault was answered ${reply.text}`);
  const places = Object.entries(system.proxies).flatMap(([product, proxy]) =>
    Object.entries(proxy.counts())
      .filter(([method]) => !/Session/.test(method))
      .flatMap(([method, count]) =>
        Array.from({ length: count }, (_, index) => ({ product: product as Product, method, nth: index + 1 })),
      ),
  );
  await putInOrder(system, instances);
  return { places, before, after: await whatIs(system, ready) };
}

/** Runs a cell; the problems, none for a green one. */
export async function runCell(
  system: System,
  cell: { operation: Operation; sound: Sound; place: Place; fault: FaultName; mode: Mode },
): Promise<readonly string[]> {
  const { operation, sound, place, fault, mode } = cell;
  const ready = await operation.prepare(system);
  const instances = system.startInstances();
  resetAll(system);
  const proxy = system.proxies[place.product];
  proxy.fault({ method: place.method, nth: place.nth, ...faults[fault] });
  const first = await ready.send(instances);
  const problems = proxy.waiting() === 0 ? [] : ["the fault did not strike"];
  resetAll(system);
  const answers = [first, ...(mode === "again" ? await insist(system, ready, instances, first) : [])];
  await putInOrder(system, instances);
  // A bus or a queue that was not served comes again in any case; what ran by itself in the meantime must not mind.
  if (mode === "alone" && operation.caller === "platform" && !isServed(first)) {
    await ready.send(system.startInstances());
    await putInOrder(system, system.startInstances());
  }
  if (mode === "alone" && operation.caller === "client") {
    const left = await whatIs(system, ready);
    // Finished by itself, or never begun; then the client who comes back after all gets one answer.
    if (!isSame(left, sound.after) && !isSame(left, sound.before))
      problems.push(`left behind: ${difference(left, sound.after)}`);
    answers.push(await ready.send(system.startInstances()));
    if (!isSame(left, sound.after)) await putInOrder(system, system.startInstances());
  }
  if (operation.caller === "client") problems.push(...answerProblems(answers));
  // Cache, bus and queue are there to help: what happens to them is none of the client's business (design section 4.1).
  if (operation.caller === "client" && place.product !== "spanner" && !isServed(first))
    problems.push(`${place.product} alone cost the client its answer: ${first.status}`);
  const after = await whatIs(system, ready);
  if (!isSame(after, sound.after)) problems.push(`at the end: ${difference(after, sound.after)}`);
  return problems;
}

/** Asks until the answer is a 2xx, as a client does that obeys `Stripe-Should-Retry`, and then once more. */
async function insist(system: System, ready: Ready, instances: Instances, first: Reply): Promise<readonly Reply[]> {
  const answers: Reply[] = [];
  for (let last = first, tries = 0; !isServed(last) && tries < triesMax; tries += 1) {
    // A lease that nobody could give up has to end; clients back off, and half a minute is no long time for them.
    if (tries > 0) system.clock.moveOn(31_000);
    last = await ready.send(instances);
    answers.push(last);
  }
  return [...answers, await ready.send(system.startInstances())];
}

const triesMax = 4;

/** Two minutes go by: queues run what they hold, completer, relay and sweep come round, until nothing is left to do. */
async function putInOrder(system: System, instances: Instances): Promise<void> {
  await instances.outlet.close();
  const later = system.startInstances();
  for (let round = 0; round < roundsMax; round += 1) {
    await runTasks(system, later);
    system.clock.moveOn(121_000);
    const completed = await askWriter(later, "/complete");
    const relayed = await askWriter(later, "/relay");
    const swept = await askDispatcher(later, "/sweep", "");
    const ran = await runTasks(system, later);
    const isQuiet = completed.json.settled === 0 && completed.json.left === 0 && relayed.json.published === 0;
    if (isQuiet && swept.json.requeued === 0 && ran === 0) break;
  }
  await later.outlet.close();
}

/** Settling takes two, an overdue delivery three; more would mean that something never ends. */
const roundsMax = 6;

/** The queues: each task that stands is run once under its name; how many were run. */
async function runTasks(system: System, instances: Instances): Promise<number> {
  const tasks = system.taken.calls.map(({ request }) => request.task).filter(({ name }) => !system.ran.has(name));
  for (const task of tasks) {
    if (system.ran.has(task.name)) continue;
    system.ran.add(task.name);
    const body = Buffer.from(task.httpRequest.body).toString("utf8");
    const isDelivery = task.httpRequest.url.endsWith("/deliver");
    for (let tries = 0; tries < triesMax; tries += 1) {
      const reply = isDelivery
        ? await askDispatcher(instances, "/deliver", body)
        : await askWriter(instances, "/settle", body);
      if (isServed(reply)) break;
    }
  }
  return tasks.length;
}

/** What there is: rows and orders of the payment, whether its events are on the bus; or what the receiver got. */
async function whatIs(system: System, { amountMinor, eventId }: Ready): Promise<readonly string[]> {
  if (eventId === null) {
    const { lines, eventIds } = await pictureOf(system, amountMinor);
    const missing = await system.missingOnBus(eventIds);
    return [...lines, ...missing.map(() => "event not on the bus")];
  }
  const { deliveries } = await system.deliveries.list({
    ...{ accountId: system.accountId, endpointId: null, eventId, state: null },
    ...{ startingAfter: null, endingBefore: null, limit: 10 },
  });
  const posts = system.received.filter(({ headers }) => headers["webhook-id"] === eventId);
  // A receiver may get a webhook twice (design section 7); another id or other bytes would make two of it.
  const bodies = new Set(posts.map(({ body }) => Buffer.from(body).toString("utf8")));
  return [...deliveries.map(({ state }) => `delivery ${state}`), ...[...bodies].map(() => "webhook received")];
}

function answerProblems(answers: readonly Reply[]): string[] {
  const served = answers.filter(isServed);
  const [first, ...repeats] = served;
  if (first === undefined)
    return [
      `never served: ${answers
        .map(({ status, text }) => `${status} ${text}`)
        .join(" | ")
        .slice(0, 300)}`,
    ];
  const problems = repeats.flatMap((reply) => [
    ...(reply.text === first.text ? [] : ["a repeat was answered differently"]),
    ...(reply.headers["Idempotent-Replayed"] === "true" ? [] : ["a repeat was executed"]),
  ]);
  const final = answers.filter((reply) => !isServed(reply) && reply.headers["Stripe-Should-Retry"] !== "true");
  return [...problems, ...final.map(({ status }) => `answered ${status} for good`)];
}

function isServed({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join("\n") === other.join("\n");
}

/** Lines too many and too few. */
function difference(found: readonly string[], expected: readonly string[]): string {
  const rest = [...expected];
  const more = found.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [...more.map((line) => `+ ${line}`), ...rest.map((line) => `- ${line}`)].join(", ");
}

function resetAll(system: System): void {
  for (const proxy of Object.values(system.proxies)) proxy.reset();
}
