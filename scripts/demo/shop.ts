// A merchant's shop: sends a payment, and sends it again under the same key until there is an answer.
// It must never make a new key for a retry: the key is what tells the API that it is the same payment.
import { setTimeout as pause } from "node:timers/promises";
import type { RunningProcess } from "./process.ts";

/** Sends the payment to the processes in turn until one answers for good; every try is told. */
export async function pay(order: Order, processes: readonly RunningProcess[]): Promise<readonly Try[]> {
  const tries: Try[] = [];
  for (let number = 0; number < triesMax; number += 1) {
    const process = processes[Math.min(number, processes.length - 1)];
    if (process === undefined) throw new Error("A shop needs a process to pay at.");
    const tried = await once(order, process);
    tries.push(tried);
    if (tried.kind === "answered" && !isTransient(tried.status)) break;
    await pause(pauseMs);
  }
  return tries;
}

/** A payment of 20.00 USD. */
export type Order = { readonly apiKey: string; readonly idempotencyKey: string };

/** How one request ended. */
export type Try =
  | { readonly kind: "no answer" }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly replayed: boolean;
      /** The body, byte for byte. */
      readonly text: string;
      readonly tookMs: number;
    };

/** What the shop orders, as it is sent. */
export const orderForm = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa";

/** The official client makes three tries by default; two more for a machine that is busy with other things. */
const triesMax = 5;

/** A tenth of the official client's first pause: nobody else needs this server's time. */
const pauseMs = 50;

function isTransient(status: number): boolean {
  return status === 409 || status >= 500;
}

async function once(order: Order, process: RunningProcess): Promise<Try> {
  const startMs = performance.now();
  try {
    const response = await fetch(`${process.baseUrl}/v1/payment_intents`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${order.apiKey}`,
        "Content-Type": "application/x-www-form-urlencoded",
        "Idempotency-Key": order.idempotencyKey,
      },
      body: orderForm,
    });
    const text = await response.text();
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { kind: "answered", status: response.status, replayed, text, tookMs: performance.now() - startMs };
  } catch {
    return { kind: "no answer" };
  }
}
