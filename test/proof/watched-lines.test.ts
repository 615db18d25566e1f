// Makes the real code write every line that a metric, an alert or a chart is made from, and looks for the fields that those read.
// It must never take a name from the source: what is not written here is not watched.
import { memoryDeadLetters } from "../../functions/adapters/memory/dead-letters.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { driveWindowMs } from "../../functions/domain/completion.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { watchedLines } from "../../functions/domain/watched-lines.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { recordDeadLetter } from "../../functions/flows/record-dead-letter.ts";
import { answered, openDeliveryWorld } from "../support/delivery-world.ts";
import { carrierTo, dispatcherOf } from "../support/intentions.ts";
import { bookingRow, insertOf, keyRow } from "../support/ledger-rows.ts";
import { clientOf, openWorld, payForm, type World } from "../support/world.ts";
import { died } from "./crash-support.ts";

type Fields = Readonly<Record<string, unknown>>;

const account = "schedule@project.iam.gserviceaccount.com";

/** All lines that were written, by message. */
const written = new Map<string, Fields>();
const log: Log = (_severity, message, fields = {}) => void written.set(message, fields);

beforeAll(async () => {
  const world = await openWorld();
  await loseTheCache(world);
  await runJobs(world);
  for (const line of world.logged) {
    const { message, ...fields } = JSON.parse(line);
    written.set(message, fields);
  }
  const letter = { id: "dl_1", source: "payment-events-to-risk", eventId: "evt_1", eventType: "charge.failed" };
  const rest = { deliveries: 100, recordedAtMs: 1, attributes: {}, data: Buffer.from("{}") };
  await recordDeadLetter({ deadLetters: memoryDeadLetters(), log }, { ...letter, ...rest });
  // A receiver that wants no more ends its delivery at once.
  const deliveries = openDeliveryWorld(() => answered(410));
  await deliveries.endpoint();
  await deliveries.fanOut({});
  await deliveries.runUntil(1_000, { isSwept: false });
  for (const { message, ...fields } of deliveries.logged) written.set(message, fields);
});

test.each(Object.entries(watchedLines))("the code writes the line %j with the fields %j", (message, fields) => {
  expect(Object.keys(written.get(message) ?? {})).toEqual(expect.arrayContaining([...fields]));
});

test("the values that filters compare with are the ones that are written", () => {
  expect(written.get("webhook attempt")?.["outcome"]).toBe("failed");
  expect(written.get("job failed")?.["path"]).toBe("/verify");
  expect(written.get("request")?.["status"]).toBe(200);
  expect(written.get("outbox relayed")?.["overdue"]).toBeGreaterThan(0);
});

/** A cache that hangs, comes back for nobody, and then refuses; payments go on all the time. */
async function loseTheCache(world: World): Promise<void> {
  const server = world.startServer();
  const pay = (key: string) => server.post("/v1/payment_intents", payForm, { key });
  const error = refuse("permission_denied", "No grant.");
  const heal = server.ports.cache.disturbAll({ at: "before", act: "throw", error });
  for (const key of ["one", "two"]) await pay(key);
  await world.clock.advance(6_000);
  await pay("three");
  heal();
}

/** Each job once, over books with an abandoned attempt, an intention that nobody takes, an overdue event and a bad row. */
async function runJobs(world: World): Promise<void> {
  const dying = world.startServer();
  dying.ports.acquirer.disturb("authorize", died("before"));
  void dying.post("/v1/payment_intents", payForm, { key: "left behind" });
  const resend = { verb: "resend_delivery", input: { deliveryId: "no id" } } as const;
  const left = keyRow({ intention: resend, createdAtMs: world.clock.now(), leaseUntilMs: world.clock.now() });
  await world.ledger.insert("given", [insertOf("idempotency_keys", left)]);
  await world.clock.advance(defaultTimings.leaseMs + driveWindowMs + 60_000);
  const { ledger, balances, seals, reconciliation, operators, outbox, clock, outlet, journal } = world;
  const publisher = { publish: async () => Promise.reject(refuse("store_unavailable", "The bus is down.")) };
  const stores = { ledger, balances, seals, reconciliation, operators, outbox, publisher, outlet };
  const machine = { clock, random: systemRandom, log };
  const acquirer = networkOver({ journal, clock, log: () => {} });
  const callers = { callerAccount: account, settlementsCaller: account };
  const intentions = carrierTo(dispatcherOf(world));
  const jobs = clientOf(ledgerWriter({ ...stores, ...machine, ...callers, acquirer, intentions }));
  const claims = { iss: "https://accounts.google.com", aud: "https://ledger-writer.example", email: account };
  const token = [{}, { ...claims, email_verified: true, exp: clock.now() / 1000 + 3600 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const headers = { host: "ledger-writer.example", authorization: `Bearer ${token.join(".")}.x` };
  const call = async (path: string) => await jobs.send("POST", path, "", { headers });
  for (const path of ["/complete", "/seal", "/reconcile"]) await call(path);
  await ledger.insert("given", [insertOf("ledger_transactions", bookingRow({ sourceId: "ch_of_nobody" }))]);
  await call("/verify");
  const { scan } = ledger;
  Object.assign(ledger, { scan: async () => Promise.reject(refuse("store_unavailable", "Spanner is down.")) });
  await call("/verify");
  Object.assign(ledger, { scan });
  await call("/relay");
}
