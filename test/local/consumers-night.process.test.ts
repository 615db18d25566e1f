// A consumer that is broken for a night: its events die after a hundred deliveries, are recorded, and come back by a redrive.
// It must never wait: the night passes in the bus's own time, by real HTTP.
import { refuse } from "../../functions/domain/errors.ts";
import { planRedriveOf, runRedrive } from "../../functions/flows/redrive-events.ts";
import { endLaptop, pay, startLaptop } from "./consumer-laptop.ts";

afterEach(endLaptop);

const night = 16 * 3_600_000;

/** Three hundred deliveries over HTTP take a second, and many times that on a machine that does much else. */
const patienceMs = 60_000;

test(
  "a consumer that is broken for a night gives its event up, and a redrive brings it back, once",
  async () => {
    const { host: running, clock, consumers, documents, deadLetters, lines } = await startLaptop();
    const repair = consumers.disturbAll({ at: "before", act: "throw", error: refuse("store_unavailable", "down") });
    const intentId = await pay(running);
    await clock.advance(night);
    const deadLine = lines.filter(({ message }) => message === "dead letter recorded").map(({ fields }) => fields);
    expect(deadLine.map((one) => ("source" in one ? one.source : "")).sort()).toEqual([
      "payment-events-to-invoice",
      "payment-events-to-notification",
      "payment-events-to-risk",
    ]);
    expect(deadLine[0]).toMatchObject({ deliveries: 100, isKept: true });
    expect(running.inbox?.mails()).toEqual([]);

    repair();
    const { id, events, left } = await planRedriveOf(deadLetters);
    // The charge was given up by two consumers; it is sent once.
    expect([events.map(({ sources }) => sources.length).sort(), left]).toEqual([[1, 2], []]);
    const redrive = { deadLetters, publisher: running.publisher, clock };
    expect(await runRedrive(redrive, id)).toMatchObject({ sent: 2, duplicates: 1, sentTwice: 0 });
    await runRedrive(redrive, id);
    await clock.advance(1_000);

    expect((await documents.list("invoices", 10)).map((invoice) => invoice.id)).toEqual([intentId]);
    expect(running.inbox?.mails()).toHaveLength(1);
    expect((await planRedriveOf(deadLetters)).events).toEqual([]);
  },
  patienceMs,
);
