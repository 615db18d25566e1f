/**
 * All views of the history: which there are, what each reads, and its SQL; the order is that in which they can be made.
 * It must never use what Google's Spanner emulator cannot run: there and on the laptop the very same text is tried.
 */
import {
  chargesQuery,
  declineDaysQuery,
  eventsQuery,
  paymentDaysQuery,
  paymentsQuery,
  refundDaysQuery,
} from "./event-views.ts";
import {
  consumerDaysQuery,
  deliveryDaysQuery,
  keyLinesQuery,
  ledgerRunsQuery,
  logLinesQuery,
  replayDaysQuery,
} from "./log-views.ts";

/** The tables of raw rows, and views by name, as SQL names them. */
export interface HistoryNames {
  readonly eventDeliveries: string;
  readonly logEntries: string;
  /** The view with this name. */
  readonly view: (name: string) => string;
  /** What stands before the name of each service of the stage. */
  readonly servicePrefix: string;
}

/** One view. */
export interface HistoryView {
  readonly name: string;
  readonly description: string;
  /** Views that it reads; without one it reads a table. */
  readonly over: readonly string[];
  readonly query: string;
}

/** The views over these tables. */
export function historyViews({
  eventDeliveries,
  logEntries,
  view,
  servicePrefix,
}: HistoryNames): readonly HistoryView[] {
  const [events, lines] = [view("events"), view("log_lines")];
  const over = (...names: string[]) => ({ over: names });
  return [
    { name: "events", ...over(), description: "Each event once.", query: eventsQuery(eventDeliveries) },
    {
      ...{ name: "payments", ...over("events"), description: "Each payment in its newest version." },
      query: paymentsQuery(events),
    },
    {
      ...{ name: "payment_days", ...over("payments"), description: "Payments by account, day and currency." },
      query: paymentDaysQuery(view("payments")),
    },
    {
      ...{ name: "decline_days", ...over("events"), description: "Failed tries to pay by account, day and reason." },
      query: declineDaysQuery(events),
    },
    {
      ...{ name: "charges", ...over("events"), description: "Each charge in its newest version." },
      query: chargesQuery(events),
    },
    {
      ...{
        name: "refund_days",
        ...over("charges"),
        description: "Captured and refunded by account, day and currency.",
      },
      query: refundDaysQuery(view("charges")),
    },
    {
      ...{ name: "log_lines", ...over(), description: "Each log line of the functions once." },
      query: logLinesQuery(logEntries, servicePrefix),
    },
    {
      ...{ name: "key_lines", ...over("log_lines"), description: "Log lines about idempotency keys." },
      query: keyLinesQuery(lines),
    },
    {
      ...{ name: "replay_days", ...over("log_lines"), description: "How keyed requests ended by account and day." },
      query: replayDaysQuery(lines),
    },
    {
      ...{ name: "delivery_days", ...over("log_lines"), description: "Webhook attempts by account, day and endpoint." },
      query: deliveryDaysQuery(lines),
    },
    {
      ...{ name: "consumer_days", ...over("log_lines", "events"), description: "Lag of consumers by account and day." },
      query: consumerDaysQuery(lines, events),
    },
    {
      ...{ name: "ledger_runs", ...over("log_lines"), description: "Runs that guard the ledger." },
      query: ledgerRunsQuery(lines),
    },
  ];
}
