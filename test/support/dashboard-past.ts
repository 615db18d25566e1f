// A month of a merchant's history, the same at every start: payments, refunds, deliveries, consumers, replays, checks.
// It must never be of another account than the one it is asked for.
import type { HistoryArchive } from "../../functions/flows/history-ports.ts";
import { charge, eventDelivery, lineDelivery, payment } from "./history-rows.ts";

const dayMs = 86_400_000;

/** Fills an archive with the days before and at `nowMs`, thirty unless another number is given. */
export function archiveDays(archive: HistoryArchive, accountId: string, nowMs: number, days = 30): void {
  for (let ago = days - 1; ago >= 0; ago -= 1) archiveDay(archive, accountId, nowMs - ago * dayMs, 29 - ago);
}

/** Archives what came of one key: its request, a replay, and somebody who used it for something else. */
export function archiveKey(archive: HistoryArchive, accountId: string, keyId: string, atMs: number): void {
  const line = (number: number, keyOutcome: string, more: object) =>
    archive.line(
      lineDelivery({
        ...{ line: `${keyId}-${number}`, message: "request", accountId, keyId, keyOutcome, generation: 1 },
        ...{ time: new Date(atMs + number * 1_500).toISOString(), method: "POST", path: "/v1/payment_intents" },
        ...{ requestId: `req_${number}`, originalRequestId: "req_0", status: 200, durationMs: 40 },
        ...{ trace: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", ...more },
      }),
    );
  line(0, "executed", {});
  line(1, "replayed", {});
  line(2, "mismatch", { status: 400, code: "idempotency_error", severity: "WARNING" });
}

function archiveDay(archive: HistoryArchive, account: string, atMs: number, day: number): void {
  // Fewer on two days of the week, more towards the end.
  const payments = day % 7 > 4 ? 3 : 5 + (day % 4) + Math.floor(day / 8);
  for (let number = 0; number < payments; number += 1) {
    const id = `${account}_${day}_${number}`;
    const created = Math.floor(atMs / 1000) - number;
    const isDeclined = (day + number) % 6 === 0;
    const event = { account, version: 2, atMs, publishedAtMs: atMs };
    const object = payment(`pi_${id}`, isDeclined ? "requires_payment_method" : "succeeded", {
      ...{ created, amount: 2_000 + 100 * number, amount_received: isDeclined ? 0 : 2_000 + 100 * number },
      ...{ currency: number % 5 === 4 ? "eur" : "usd" },
      ...(isDeclined ? { last_payment_error: { code: "card_declined", decline_code: reasons[day % 3] } } : {}),
    });
    const type = isDeclined ? "payment_intent.payment_failed" : "payment_intent.succeeded";
    archive.event(eventDelivery({ ...event, event: `evt_p${id}`, type, object }));
    if (!isDeclined) {
      const amount_refunded = (day * 3 + number) % 11 === 0 ? 2_000 : 0;
      const taken = charge(`ch_${id}`, { created, amount_captured: 2_000 + 100 * number, amount_refunded });
      archive.event(eventDelivery({ ...event, event: `evt_c${id}`, type: "charge.succeeded", object: taken }));
    }
    archiveWork(archive, account, atMs, id, (day + number) % 9);
  }
  archive.line(
    lineDelivery({
      ...{ line: `verify-${account}-${day}`, message: "ledger verification ended", service: "ledger-writer" },
      ...{ time: new Date(atMs - 3_600_000).toISOString(), rows: { charges: 3 }, fault: null },
    }),
  );
}

/** What follows from one payment: a request, a delivery, three consumers. `luck` from 0 to 8 makes some of it go wrong. */
function archiveWork(archive: HistoryArchive, accountId: string, atMs: number, id: string, luck: number): void {
  const time = new Date(atMs).toISOString();
  const keyOutcome = luck === 1 ? "replayed" : luck === 2 ? "waited" : luck === 3 ? "adopted" : "executed";
  archive.line(
    lineDelivery({ line: `request-${id}`, message: "request", time, accountId, keyOutcome, keyId: "f".repeat(64) }),
  );
  archive.line(
    lineDelivery({
      ...{ line: `attempt-${id}`, message: "webhook attempt", service: "webhook-dispatcher", time, accountId },
      ...{ endpointId: "we_1", outcome: luck === 0 ? "failed" : "succeeded", durationMs: 60 + 70 * luck },
    }),
  );
  for (const [place, service] of ["invoice", "notification", "risk"].entries()) {
    archive.line(
      lineDelivery({
        ...{ line: `${service}-${id}`, message: "event consumed", service, eventId: `evt_p${id}`, outcome: "done" },
        time: new Date(atMs + 80 * (place + 1) + 20 * luck).toISOString(),
      }),
    );
  }
}

const reasons = ["insufficient_funds", "generic_decline", "lost_card"] as const;
