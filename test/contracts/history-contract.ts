// What every history must answer: the memory twin, the laptop's SQL and the same SQL on Google's emulator run these tests.
// It must never use what only one of them has; each test has an account of its own.
import { randomBytes } from "node:crypto";
import { charge, dayMs, eventDelivery, lineDelivery, noonMs, payment, thatDay } from "../support/history-rows.ts";
import { type HistoryUnderTest, historyLinesContract } from "./history-lines-contract.ts";

/** Registers the suite. */
export function historyContract(open: () => Promise<HistoryUnderTest>): void {
  let subject: HistoryUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject?.close());

  const unique = () => randomBytes(6).toString("hex");
  const asked = (accountId: string) => ({ accountId, range: thatDay, limit: 100 });

  test("counts payments once by day and currency in their newest version, whatever the order and number of copies", async () => {
    const [account, other, one] = [`acct_${unique()}`, `acct_${unique()}`, unique()];
    const succeeded = { status: "succeeded", amount_received: 1500 };
    const paid = { account, event: `evt_${one}b`, version: 3, object: payment(`pi_${one}`, "", succeeded) };
    const failed = { account, event: `evt_${one}a`, version: 2, type: "payment_intent.payment_failed" };
    const lateMs = dayMs + 86_399_000;
    await subject.archive({
      events: [
        eventDelivery(paid),
        eventDelivery(paid),
        eventDelivery({ ...failed, object: payment(`pi_${one}`, "requires_payment_method") }),
        eventDelivery({ account, event: `evt_${one}c`, version: 2, object: payment(`pi_${one}c`, "canceled") }),
        eventDelivery({ account, event: `evt_${one}g`, version: 1, object: payment(`pi_${one}c`, "requires_capture") }),
        eventDelivery({
          account,
          event: `evt_${one}d`,
          version: 1,
          object: payment(`pi_${one}d`, "", { ...succeeded, currency: "eur", created: lateMs / 1000 }),
        }),
        eventDelivery({
          account,
          event: `evt_${one}e`,
          version: 1,
          object: payment(`pi_${one}e`, "processing", { created: lateMs / 1000 + 1 }),
        }),
        eventDelivery({ ...paid, account: other, event: `evt_${one}f`, object: payment(`pi_${one}f`, "", succeeded) }),
      ],
    });

    const wide = { fromMs: dayMs, untilMs: dayMs + 2 * 86_400_000 };
    expect(await subject.history.paymentDays({ accountId: account, range: wide, limit: 10 })).toEqual([
      {
        dayMs: dayMs + 86_400_000,
        currency: "usd",
        payments: 1,
        succeeded: 0,
        canceled: 0,
        declined: 0,
        receivedMinor: 0n,
      },
      { dayMs, currency: "eur", payments: 1, succeeded: 1, canceled: 0, declined: 0, receivedMinor: 1500n },
      { dayMs, currency: "usd", payments: 2, succeeded: 1, canceled: 1, declined: 1, receivedMinor: 1500n },
    ]);
    expect(await subject.history.paymentDays({ accountId: account, range: wide, limit: 1 })).toHaveLength(1);
    expect(await subject.history.paymentDays(asked(account))).toHaveLength(2);
  });

  test("counts why tries to pay failed, each event once, most frequent first", async () => {
    const [account, one] = [`acct_${unique()}`, unique()];
    const failed = (event: string, error: object) =>
      eventDelivery({
        ...{ account, event: `evt_${one}${event}`, version: 2, type: "payment_intent.payment_failed" },
        object: payment(`pi_${one}`, "requires_payment_method", { last_payment_error: error }),
      });
    const declined = { code: "card_declined", decline_code: "insufficient_funds" };
    await subject.archive({
      events: [
        failed("a", { code: "expired_card" }),
        failed("b", declined),
        failed("c", declined),
        failed("c", declined),
      ],
    });

    expect(await subject.history.declineReasons(asked(account))).toEqual([
      { code: "card_declined", declineCode: "insufficient_funds", declines: 2 },
      { code: "expired_card", declineCode: null, declines: 1 },
    ]);
  });

  test("sums captured charges and what went back of them, without those that were only held", async () => {
    const [account, one] = [`acct_${unique()}`, unique()];
    const about = (id: string, version: number, more: object) =>
      eventDelivery({
        account,
        event: `evt_${id}${version}`,
        version,
        type: "charge.refunded",
        object: charge(id, { ...more }),
      });
    await subject.archive({
      events: [
        about(`ch_${one}a`, 2, { amount_refunded: 500 }),
        about(`ch_${one}a`, 1, {}),
        about(`ch_${one}b`, 1, {}),
        about(`ch_${one}c`, 1, { amount_captured: 0 }),
      ],
    });

    expect(await subject.history.refundDays(asked(account))).toEqual([
      { dayMs, currency: "usd", charges: 2, refunded: 1, capturedMinor: 3000n, refundedMinor: 500n },
    ]);
  });

  test("tells attempts by endpoint: how many, accepted or not, and how long they took, each line once", async () => {
    const [account, one] = [`acct_${unique()}`, unique()];
    const attempt = (line: string, endpointId: string, outcome: string, durationMs: number) =>
      lineDelivery({
        ...{ line: `${one}${line}`, message: "webhook attempt", accountId: account },
        endpointId,
        outcome,
        durationMs,
      });
    await subject.archive({
      lines: [
        attempt("a", "we_1", "succeeded", 100),
        attempt("a", "we_1", "succeeded", 100),
        attempt("b", "we_1", "failed", 4_001),
        attempt("c", "we_2", "succeeded", 501),
      ],
    });

    const first = {
      ...{ dayMs, endpointId: "we_1", attempts: 2, succeeded: 1, durationAverageMs: 2_050, durationMaxMs: 4_001 },
      ...{ within100Ms: 1, within500Ms: 1, within1000Ms: 1, within5000Ms: 2 },
    };
    const answered = await subject.history.deliveryDays({ ...asked(account), endpointId: null });
    expect(answered).toMatchObject([first, { endpointId: "we_2", attempts: 1, within500Ms: 0, within1000Ms: 1 }]);
    expect(await subject.history.deliveryDays({ ...asked(account), endpointId: "we_1" })).toEqual([first]);
  });

  test("measures each consumer from an event's first publication to its first dealing with it", async () => {
    const [account, one] = [`acct_${unique()}`, unique()];
    const event = { account, event: `evt_${one}`, version: 1, object: payment(`pi_${one}`, "succeeded") };
    const consumed = (line: string, service: string, time: string, outcome: string) =>
      lineDelivery({
        ...{ line: `${one}${line}`, message: "event consumed", service, time },
        eventId: `evt_${one}`,
        outcome,
      });
    await subject.archive({
      events: [eventDelivery({ ...event, publishedAtMs: noonMs + 60_000 }), eventDelivery(event)],
      lines: [
        consumed("a", "invoice", "2027-01-15T12:00:00.500Z", "busy"),
        consumed("b", "invoice", "2027-01-15T12:00:02.250000999Z", "written"),
        consumed("c", "invoice", "2027-01-15T12:01:00Z", "repeated"),
        consumed("d", "risk", "2027-01-15T11:59:59Z", "nothing"),
      ],
    });

    expect(await subject.history.consumerLags(asked(account))).toEqual([
      { dayMs, consumer: "invoice", events: 1, lagAverageMs: 2_250, lagMaxMs: 2_250 },
      { dayMs, consumer: "risk", events: 1, lagAverageMs: 0, lagMaxMs: 0 },
    ]);
  });

  test("counts how keyed requests ended, and no request without a key", async () => {
    const [account, one] = [`acct_${unique()}`, unique()];
    const outcomes = ["executed", "replayed", "replayed", "waited", "in_use", "mismatch", "adopted", "released"];
    const lines = outcomes.map((keyOutcome, index) =>
      lineDelivery({
        line: `${one}${index}`,
        message: "request",
        accountId: account,
        keyId: "0".repeat(64),
        keyOutcome,
      }),
    );
    const unkeyed = lineDelivery({ line: `${one}x`, message: "request", accountId: account });
    await subject.archive({ lines: [...lines, ...lines.slice(0, 1), unkeyed] });

    expect(await subject.history.replayDays(asked(account))).toEqual([
      { dayMs, executed: 1, replayed: 2, waited: 1, inUse: 1, mismatch: 1, adopted: 1, released: 1 },
    ]);
  });

  historyLinesContract(() => subject);
}
