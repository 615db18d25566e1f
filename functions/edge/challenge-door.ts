/**
 * The pages of the payments API that a buyer's browser sees: the way to the acquirer's challenge and the way back.
 * They never move money on the browser's word, and never show more than whether the payment still waits.
 */
import type { Attempt } from "../domain/attempt.ts";
import { isWaitingFor } from "../domain/challenge.ts";
import { hasCode } from "../domain/errors.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { FinishChallenge } from "../flows/idempotently-types.ts";
import type { Ledger, Log } from "../flows/ports.ts";
import { page, redirect } from "./browser-page.ts";
import { errorFields } from "./error-line.ts";
import { pathOf, type WireRequest, type WireResponse } from "./wire.ts";

/** What the pages need. */
export interface ChallengeDoorPorts {
  readonly ledger: Pick<Ledger, "read">;
  readonly finish: FinishChallenge;
  readonly log: Log;
}

/**
 * The handler of `GET /challenges/:attempt` and `GET /challenges/:attempt/return`; undefined for every other path.
 * The attempt's id is as hard to guess as a key, and whoever has it can only make the API ask the acquirer again.
 */
export function challengeDoor(ports: ChallengeDoorPorts): (request: WireRequest) => Promise<WireResponse | undefined> {
  return async (request) => {
    const match = /^\/challenges\/(att_[A-Za-z0-9]{1,60})(\/return)?$/.exec(pathOf(request.target));
    const [, attemptId, isReturn] = match ?? [];
    if (attemptId === undefined) return undefined;
    // Nothing is sent to this page: the buyer's answer goes to the acquirer's.
    if (request.method !== "GET") return page(405, "Not allowed", "This page can only be opened.", { Allow: "GET" });
    try {
      return isReturn === undefined ? await start(ports, attemptId) : await comeBack(ports, attemptId);
    } catch (error) {
      ports.log("WARNING", "challenge page failed", {
        attemptId,
        ...errorFields(error),
      });
      const isLate = hasCode(error, "acquirer_unknown", "store_unavailable", "commit_unknown");
      return isLate ? tryAgain(503) : tryAgain(500);
    }
  };
}

/** To the acquirer's page, as long as the payment waits for this very challenge. */
async function start(ports: ChallengeDoorPorts, attemptId: string): Promise<WireResponse> {
  const found = await readChallenge(ports, attemptId);
  if (found === undefined) return unknown();
  const { attempt, intent } = found;
  const pageUrl = attempt.challenge?.pageUrl ?? null;
  return isWaitingFor(intent, attempt) && pageUrl !== null ? redirect(pageUrl) : noLonger();
}

/** From the acquirer's page: what it says decides, then the buyer goes on to the merchant. */
async function comeBack(ports: ChallengeDoorPorts, attemptId: string): Promise<WireResponse> {
  const end = await ports.finish(attemptId);
  switch (end.kind) {
    case "unknown":
      return unknown();
    case "gone":
      return noLonger();
    case "waiting":
      return redirect(end.attempt.challenge?.startUrl ?? "/");
    case "went_on":
    case "failed":
      return toMerchant(end.attempt, end.intent);
  }
}

/** The client's own parameters, so that its page can look the payment up (contract section 5.4). */
function toMerchant({ challenge }: Attempt, intent: PaymentIntent): WireResponse {
  const isPaid = ["succeeded", "requires_capture", "processing", "requires_confirmation"].includes(intent.status);
  if (challenge === null || challenge.merchantReturnUrl === null) {
    const text = isPaid
      ? "You are done here. You can close this window."
      : "The payment was not made. You can close this window.";
    return page(200, isPaid ? "Thank you" : "Not paid", text);
  }
  const target = new URL(challenge.merchantReturnUrl);
  target.searchParams.set("payment_intent", intent.id);
  target.searchParams.set("payment_intent_client_secret", intent.clientSecret);
  target.searchParams.set("redirect_status", isPaid ? "succeeded" : "failed");
  return redirect(target.href);
}

async function readChallenge(ports: ChallengeDoorPorts, attemptId: string) {
  const { attempts: attempt } = await ports.ledger.read({ attempts: attemptId });
  if (attempt === undefined || attempt.challenge === null) return undefined;
  const { payment_intents: intent } = await ports.ledger.read({ payment_intents: attempt.intentId });
  return intent && { attempt, intent };
}

function unknown(): WireResponse {
  return page(404, "Nothing here", "There is no such payment to confirm.");
}

function noLonger(): WireResponse {
  return page(
    410,
    "No longer needed",
    "This payment no longer waits for your confirmation. You were not charged here.",
  );
}

function tryAgain(status: number): WireResponse {
  return page(status, "Please try again", "Your answer is kept. Please reload this page in a moment.");
}
