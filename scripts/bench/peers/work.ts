// The work that all contenders do: one request under a key, answered by a handler that computes nothing.
// It must never favour a side: the same parameters, the same answer, a store that answers in its next turn.

/** A request as each library takes it: parsed, with its key in a header. */
export const request = {
  method: "POST",
  path: "/v1/payment_intents",
  body: {
    amount: "2000",
    currency: "usd",
    confirm: "true",
    payment_method: "pm_card_visa",
    metadata: { order: "6735", cart: "b1c2d3" },
  },
} as const;

/** The answer, as large as a payment intent's. */
export function responseOf(key: string) {
  return {
    ...{ id: `pi_${key}`, object: "payment_intent", amount: 2000, amount_received: 2000, currency: "usd" },
    ...{ status: "succeeded", livemode: false, capture_method: "automatic", confirmation_method: "automatic" },
    ...{ payment_method: "pm_card_visa", payment_method_types: ["card"], metadata: request.body.metadata },
    ...{ client_secret: `pi_${key}_secret_0123456789abcdef`, created: 1_768_478_400, latest_charge: `ch_${key}` },
    ...{ description: null, customer: null, last_payment_error: null, next_action: null, cancellation_reason: null },
  };
}

/** What goes to the client; this project's flow keeps it so, the others keep the object. */
export function bytesOf(response: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(response));
}

/** One side. `open` gives an empty store of its own, and what runs one request under a key, from its parsed form to the bytes of its answer. */
export type Contender = {
  readonly name: string;
  readonly open: () => (key: string) => Promise<{ readonly replayed: boolean; readonly bytes: Uint8Array | null }>;
};
