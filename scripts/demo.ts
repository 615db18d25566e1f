// `npm run demo`: four accidents that make payment systems charge twice, each played on a real API in this process.
// It must never say that it went well without having counted: the verdict comes from the rows and the acquirer's journal.
import { systemRandom } from "../functions/adapters/system.ts";
import { type Act, acts } from "./demo/acts.ts";
import { type Books, judge, plural, readBooks } from "./demo/books.ts";
import { orderForm, type Try } from "./demo/shop.ts";
import { openEmbeddedStores } from "./embedded-stores.ts";

/** Plays all acts; returns what went wrong, one line each. */
export async function demo(say: (line: string) => void): Promise<readonly string[]> {
  const faults: string[] = [];
  const all = acts();
  for (const [index, act] of all.entries()) {
    say(`── Act ${index + 1} of ${all.length}: ${act.title} ${"─".repeat(60 - act.title.length)}`);
    faults.push(...(await perform(act, say)).map((fault) => `${act.title}: ${fault}`));
    say("");
  }
  return faults;
}

/** One act on stores of its own, so that every row in them is its doing. */
async function perform(act: Act, say: (line: string) => void): Promise<readonly string[]> {
  const stores = await openEmbeddedStores();
  const idempotencyKey = `demo-${act.title.replaceAll(" ", "-")}-${systemRandom.id("order")}`;
  for (const sentence of sentences(act.story)) say(sentence);
  tell(say, "sent", [act.sent, `POST /v1/payment_intents  ${orderForm}`, `Idempotency-Key: ${idempotencyKey}`]);
  const senders = await act.play(stores, { apiKey: stores.apiKey, idempotencyKey });
  tell(say, "came back", answersTold(senders));
  const books = await readBooks(stores);
  tell(say, "rows", rowsTold(books));
  tell(say, "acquirer", [`${plural(books.effects, "effect")} in its journal`]);
  say("Why it was safe:");
  for (const sentence of sentences(act.why)) say(`  ${sentence}`);
  const verdict = judge(books);
  const faults = [...verdict.faults, ...answerFaults(senders)];
  say(faults.length === 0 ? verdict.line : `BROKEN: ${faults.join(", ")}`);
  return faults;
}

function tell(say: (line: string) => void, part: string, lines: readonly string[]): void {
  for (const [index, line] of lines.entries()) say(`  ${(index === 0 ? part : "").padEnd(11)}${line}`);
}

/** Every try while they are few; counts when they are many. */
function answersTold(senders: readonly (readonly Try[])[]): string[] {
  const tries = senders.flat();
  if (tries.length <= 8) return [...tries.map(tryTold), sameBytesTold(tries)];
  const counts = new Map<string, number>();
  for (const tried of tries) counts.set(kindOf(tried), (counts.get(kindOf(tried)) ?? 0) + 1);
  return [
    ...[...counts].map(([kind, count]) => `${count === 1 ? "once" : `${count} times`}: ${kind}`),
    sameBytesTold(tries),
  ];
}

function tryTold(tried: Try): string {
  if (tried.kind === "no answer") return kindOf(tried);
  return `${kindOf(tried)}, after ${Math.round(tried.tookMs)} ms`;
}

function kindOf(tried: Try): string {
  if (tried.kind === "no answer") return "no answer, the connection broke";
  return `${tried.status}${tried.replayed ? ", Idempotent-Replayed: true" : ", executed"}`;
}

function sameBytesTold(tries: readonly Try[]): string {
  const [body, ...others] = paidBodies(tries);
  if (body === undefined) return "nobody got a payment";
  if (others.length > 0) return `${others.length + 1} different bodies`;
  const { id, status, amount } = JSON.parse(body) as Record<string, unknown>;
  return `all with the same bytes: ${id}, ${amount} cents, ${status}`;
}

function rowsTold({ rows, entries }: Books): string[] {
  return [
    Object.entries(rows)
      .map(([name, count]) => plural(count, name))
      .join(", "),
    ...entries.map(
      ({ direction, ledgerAccount, amountMinor }) =>
        `${direction.padEnd(7)}${ledgerAccount.padEnd(20)} ${amountMinor} cents`,
    ),
  ];
}

/** One on each line, because a long line is read by nobody. */
function sentences(text: string): string[] {
  return text.split(/(?<=\.) /);
}

/** Every sender must end with a 200, and all 200s must be the same bytes. */
function answerFaults(senders: readonly (readonly Try[])[]): string[] {
  const unpaid = senders.filter((tries) => {
    const last = tries.at(-1);
    return last?.kind !== "answered" || last.status !== 200;
  });
  const bodies = paidBodies(senders.flat()).size;
  return [
    ...(unpaid.length === 0 ? [] : [`${plural(unpaid.length, "sender")} without a payment`]),
    ...(bodies === 1 ? [] : [`${bodies} different answers`]),
  ];
}

function paidBodies(tries: readonly Try[]): Set<string> {
  return new Set(tries.flatMap((tried) => (tried.kind === "answered" && tried.status === 200 ? [tried.text] : [])));
}

if (process.argv[1] === import.meta.filename) {
  // Whoever pipes the demonstration into `head` closes the pipe early: nobody is left to read on.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  const faults = await demo((line) => console.log(line));
  if (faults.length > 0) {
    for (const fault of faults) console.error(`BROKEN: ${fault}`);
    process.exitCode = 1;
  } else {
    console.log("In each of the four acts, however often it was sent:");
    console.log("1 payment, debits = credits");
  }
}
