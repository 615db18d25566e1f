// What every history must say of log lines, and what it must refuse; the other half of history-contract.ts.
// It must never use what only one history has; each test has an account of its own.
import { randomBytes } from "node:crypto";
import type { ArchivedMessage, History } from "../../functions/flows/history-ports.ts";
import { dayMs, eventDelivery, lineDelivery, noonMs, payment, thatDay } from "../support/history-rows.ts";

/** A history for one suite; what is archived can be asked for once `archive` resolves. */
export type HistoryUnderTest = {
  readonly history: History;
  archive(rows: { events?: readonly ArchivedMessage[]; lines?: readonly ArchivedMessage[] }): Promise<void>;
  close(): Promise<void>;
};

/** Registers this half of the suite; `opened` gives the history once the suite runs. */
export function historyLinesContract(opened: () => HistoryUnderTest): void {
  const unique = () => randomBytes(6).toString("hex");
  const asked = (accountId: string) => ({ accountId, range: thatDay, limit: 100 });

  test("gives the lines of one key page by page, newest first, of the asking account only", async () => {
    const [account, one, keyId] = [`acct_${unique()}`, unique(), randomBytes(32).toString("hex")];
    const about = { message: "request", accountId: account, keyId };
    await opened().archive({
      lines: [
        lineDelivery({
          ...{ ...about, line: `${one}-1`, time: "2027-01-15T12:00:00.123456Z", keyOutcome: "executed", generation: 1 },
          ...{ requestId: "req_a", method: "POST", path: "/v1/payment_intents", status: 200, durationMs: 41 },
          ...{ trace: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", paymentIntentId: "pi_1" },
        }),
        lineDelivery({
          ...about,
          line: `${one}-2`,
          time: "2027-01-15T12:00:01Z",
          keyOutcome: "replayed",
          requestId: "req_b",
          originalRequestId: "req_a",
        }),
        lineDelivery({
          ...about,
          line: `${one}-3`,
          time: "2027-01-15T12:00:01Z",
          keyOutcome: "mismatch",
          status: 400,
          code: "idempotency_mismatch",
          severity: "WARNING",
        }),
        lineDelivery({ ...about, line: `${one}-4`, accountId: `acct_${unique()}` }),
        lineDelivery({ ...about, line: `${one}-5`, keyId: randomBytes(32).toString("hex") }),
      ],
    });

    const first = await opened().history.keyLines({ ...asked(account), keyId, before: null, limit: 2 });
    expect(first.lines).toMatchObject([
      { lineId: `${one}-3`, keyOutcome: "mismatch", status: 400, code: "idempotency_mismatch", severity: "WARNING" },
      { lineId: `${one}-2`, keyOutcome: "replayed", requestId: "req_b", originalRequestId: "req_a", traceId: null },
    ]);
    const second = await opened().history.keyLines({ ...asked(account), keyId, before: first.next, limit: 2 });
    expect(second).toEqual({
      lines: [
        {
          ...{ lineId: `${one}-1`, atMs: noonMs + 123, severity: "INFO", message: "request", service: "payments-api" },
          ...{ requestId: "req_a", originalRequestId: null, keyOutcome: "executed", generation: 1, method: "POST" },
          ...{ path: "/v1/payment_intents", status: 200, code: null, durationMs: 41, attemptId: null },
          ...{ paymentIntentId: "pi_1", eventId: null, deliveryId: null },
          ...{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" },
        },
      ],
      next: null,
    });
  });

  test("tells the runs that guard the ledger, those that did not end too", async () => {
    const one = unique();
    const run = (line: string, hour: string, payload: object) =>
      lineDelivery({ ...payload, line: `${one}${line}`, message: "", time: `2027-02-01T${hour}:00:00Z`, ...payload });
    await opened().archive({
      lines: [
        run("a", "01", { message: "ledger verification ended", rows: { charges: 3 }, fault: null }),
        run("b", "02", {
          message: "ledger verification ended",
          fault: { table: "charges", key: "ch_1", problem: "sum" },
        }),
        run("c", "03", { message: "ledger sealing ended", seals: 1, bookings: 7 }),
        run("d", "04", { message: "reconciliation ended", attempts: 9, open: 2 }),
        run("e", "05", { message: "job failed", path: "/reconcile", status: 503 }),
        run("f", "06", { message: "job failed", path: "/relay", status: 503 }),
      ],
    });

    const range = { fromMs: Date.UTC(2027, 1, 1), untilMs: Date.UTC(2027, 1, 2) };
    expect(await opened().history.ledgerRuns({ range, limit: 10 })).toEqual([
      { job: "reconcile", atMs: Date.UTC(2027, 1, 1, 5), hasEnded: false, faults: null, items: null },
      { job: "reconcile", atMs: Date.UTC(2027, 1, 1, 4), hasEnded: true, faults: 2, items: 9 },
      { job: "seal", atMs: Date.UTC(2027, 1, 1, 3), hasEnded: true, faults: 0, items: 7 },
      { job: "verify", atMs: Date.UTC(2027, 1, 1, 2), hasEnded: true, faults: 1, items: null },
      { job: "verify", atMs: Date.UTC(2027, 1, 1, 1), hasEnded: true, faults: 0, items: null },
    ]);
  });

  test("takes an account with quotes and SQL in it for what it is: one that has no rows", async () => {
    const one = unique();
    await opened().archive({
      events: [
        eventDelivery({
          account: `acct_${one}`,
          event: `evt_${one}`,
          version: 1,
          object: payment(`pi_${one}`, "succeeded"),
        }),
      ],
    });

    for (const accountId of [`acct_${one}' OR '1'='1`, "\\' UNION SELECT 1 --", '`"@account%']) {
      expect(await opened().history.paymentDays(asked(accountId))).toEqual([]);
      expect(await opened().history.deliveryDays({ ...asked(accountId), endpointId: "' OR ''='" })).toEqual([]);
      const keyId = "0".repeat(64);
      expect(await opened().history.keyLines({ ...asked(accountId), keyId, before: null })).toEqual({
        lines: [],
        next: null,
      });
    }
  });

  test.each([
    ["account", { accountId: "" }],
    ["from", { range: { fromMs: Number.NaN, untilMs: dayMs } }],
    ["until", { range: { fromMs: 0, untilMs: 400 * 86_400_000 + 1 } }],
    ["until", { range: { fromMs: dayMs, untilMs: dayMs } }],
    ["limit", { limit: 1_001 }],
    ["limit", { limit: 0.5 }],
    ["key", { keyId: "order-7' OR '1'='1" }],
    ["before", { before: "1.a' OR '1'='1" }],
  ])("refuses what is out of bounds and names %s: %j", async (param, wrong) => {
    const query = { ...asked("acct_1"), keyId: "0".repeat(64), before: null, ...wrong };

    await expect(opened().history.keyLines(query)).rejects.toMatchObject({ code: "parameter_invalid", param });
    if (!["key", "before"].includes(param))
      await expect(opened().history.paymentDays(query)).rejects.toMatchObject({ code: "parameter_invalid", param });
  });
}
