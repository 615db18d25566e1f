// Invariants about answers: what clients heard, held against each other and against the acquirer's journal.
// It must never compare what a client may forget: only answers that stand under their key.
import type { Aftermath } from "../aftermath.ts";
import type { Answer } from "../client.ts";
import { lasts, type NetworkOrder, ordersOf, takes } from "./network.ts";

/** One body and one status for each key, and for one of its requests only; a key that has ended begins anew. */
export function replaysAreIdentical({ client }: Aftermath): string[] {
  const firsts = new Map<string, Answer>();
  return client.answers.flatMap((answer) => {
    if (!answer.isFinal) return [];
    const { key, path, form } = answer.asked;
    const first = firsts.get(nameOf(answer));
    if (first === undefined) {
      firsts.set(nameOf(answer), answer);
      return [];
    }
    if (first.asked.path !== path || first.asked.form !== form) return [`key ${key} answered two requests`];
    if (first.status === answer.status && first.body === answer.body) return [];
    return [
      `key ${key} heard ${first.status} ${first.body.slice(0, 300)}, then ${answer.status} ${answer.body.slice(0, 300)}`,
    ];
  });
}

/** A client that was told of money finds it at the acquirer, once; one that was told of none finds none. */
export async function answersAreTrue(after: Aftermath): Promise<string[]> {
  const orders = await ordersOf(after);
  const charges = new Map(after.stores.tables.rows("charges").map((charge) => [charge.id, charge]));
  const finals = new Map(
    after.client.answers.filter(({ isFinal }) => isFinal).map((answer) => [nameOf(answer), answer]),
  );
  return [...finals.values()].flatMap((answer) => {
    const { key, path } = answer.asked;
    const told = toldOf(answer);
    if (told !== null) {
      const count = orders.filter((order) => told.is(order) && order.amountMinor === BigInt(told.amount)).length;
      return count > 0 ? [] : [`key ${key} was told of ${told.what} ${told.amount} at ${path}, which never happened`];
    }
    const failed = charges.get(answer.json.error?.charge ?? "");
    const order = failed && orders.find((each) => each.key === failed.attemptId);
    return order !== undefined && lasts(order) ? [`key ${key} was told of a failure that succeeded`] : [];
  });
}

/** What an answer claims of the acquirer; null when it claims nothing that can be counted. */
function toldOf({
  status,
  json,
}: Answer): { what: string; amount: number; is: (order: NetworkOrder) => boolean } | null {
  if (status !== 200) return null;
  if (json.object === "refund" && json.status !== "failed") {
    return { what: "a refund of", amount: json.amount, is: ({ kind }) => kind === "refund" };
  }
  if (json.object !== "payment_intent") return null;
  if (json.status === "succeeded") return { what: "a payment of", amount: json.amount_received, is: takes };
  if (json.status !== "requires_capture") return null;
  return { what: "a hold of", amount: json.amount, is: (order) => order.kind === "authorize" && lasts(order) };
}

function nameOf({ asked }: Answer): string {
  return `${asked.apiKey} ${asked.key} ${asked.isReuse === true ? "again" : "first"}`;
}
