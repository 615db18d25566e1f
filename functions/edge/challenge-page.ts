/**
 * The test acquirer's challenge page: what a card issuer shows a buyer, with the two answers that it can get.
 * It must never move money: it records the answer and sends the buyer back, and the payments API asks for the rest.
 */
import { refuse } from "../domain/errors.ts";
import type { AcquirerJournal, JournalLine } from "../flows/acquirer-ports.ts";
import { answerChallenge, challengedOrder, resultNow } from "../flows/look-up-order.ts";
import type { Clock, Log } from "../flows/ports.ts";
import { escaped, htmlPage, page, redirect } from "./browser-page.ts";
import { pathOf, type WireRequest, type WireResponse } from "./wire.ts";

/** What the page needs. */
export interface ChallengePagePorts {
  readonly journal: AcquirerJournal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers `GET` and `POST /challenges/:key`; undefined for every other path. */
export async function challengePage(
  ports: ChallengePagePorts,
  request: WireRequest,
): Promise<WireResponse | undefined> {
  const key = /^\/challenges\/([\w-]{1,255})$/.exec(pathOf(request.target))?.[1];
  if (key === undefined) return undefined;
  try {
    if (request.method === "GET") return await show(ports, key);
    if (request.method === "POST") return await take(ports, key, request);
    return page(405, "Not allowed", "This page can be opened and answered.", { Allow: "GET, POST" });
  } catch (error) {
    return failed(ports, key, error);
  }
}

async function show(ports: ChallengePagePorts, key: string): Promise<WireResponse> {
  const order = await challengedOrder(ports, key);
  const result = await resultNow(ports, order);
  if (result.kind === "challenge" && result.outcome !== "waiting") return back(order);
  const text = `<p>Your bank asks: is it you who pays <strong>${escaped(amountOf(order))}</strong>?</p>`;
  const form =
    '<form method="post"><button name="answer" value="accept">Yes, pay</button>' +
    '<button name="answer" value="refuse">No, refuse</button></form>';
  return htmlPage(200, "Confirm your payment", `${text}${form}<p>This is a test bank: no real money moves.</p>`);
}

/** The first answer stands; a second click, or the back button, leads on with the first one. */
async function take(ports: ChallengePagePorts, key: string, request: WireRequest): Promise<WireResponse> {
  const answer = new URLSearchParams(request.body.toString("utf8")).get("answer");
  if (answer !== "accept" && answer !== "refuse")
    throw refuse("parameter_invalid", "answer must be accept or refuse.", { param: "answer" });
  const order = await challengedOrder(ports, key);
  const line = await answerChallenge(ports, key, answer === "accept");
  ports.log("INFO", "challenge answered", { key, result: line.result.kind });
  return back(order);
}

function back({ challengeReturnUrl }: JournalLine): WireResponse {
  if (challengeReturnUrl === null) return page(200, "Thank you", "You can close this window.");
  return redirect(challengeReturnUrl);
}

/** The amount in the currency's own way of writing. */
function amountOf({ amountMinor, currency }: JournalLine): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 0;
  const text = amountMinor.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return format.format(`${whole}.${text.slice(text.length - digits) || "0"}` as `${number}`);
}

function failed(ports: ChallengePagePorts, key: string, error: unknown): WireResponse {
  const code = error instanceof Error && "code" in error ? error.code : "internal";
  if (code === "resource_missing") return page(404, "Nothing here", "There is no such payment to confirm.");
  if (code === "parameter_invalid") return page(400, "Not understood", "Please go back and press one of the buttons.");
  ports.log("ERROR", "challenge page failed", { key, code });
  return page(503, "Please try again", "Please reload this page in a moment.");
}
