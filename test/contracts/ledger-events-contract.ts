// What every ledger must list of events: an account's, by type and time, page by page.
// It must never know a product: it sees the port alone.
import type { EventType, PaymentEvent } from "../../functions/domain/events.ts";
import type { EventQuery } from "../../functions/domain/pages.ts";
import { atMs, eventRow, insertOf } from "../support/ledger-rows.ts";
import type { LedgerUnderTest } from "./ledger-contract.ts";

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedgerEvents(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`events of the ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
      const rows = [...newestFirst, eventRow({ accountId: "acct_other_events" })];
      await store.ledger.insert(
        "given",
        rows.map((row) => insertOf("events", row)),
      );
    });
    afterAll(async () => {
      await store?.close();
    });
    const list = async (query: Partial<EventQuery>) => {
      const { events, hasMore } = await store.ledger.listEvents({ ...everything, ...query });
      return { places: events.map((event) => newestFirst.findIndex(({ id }) => id === event.id)), hasMore };
    };

    test("all events of the account come whole and newest first, those of others never", async () => {
      expect(await store.ledger.listEvents(everything)).toStrictEqual({ events: newestFirst, hasMore: false });
      expect(await list({ accountId: "acct_no_events" })).toEqual({ places: [], hasMore: false });
    });

    test("one event is read by its id", async () => {
      const [newest] = newestFirst;
      expect(await store.ledger.read({ events: newest?.id ?? "" })).toStrictEqual({ events: newest });
      expect(await store.ledger.read({ events: "evt_none" })).toStrictEqual({});
    });

    test.each<{ types: readonly EventType[]; places: number[] }>([
      { types: ["charge.succeeded"], places: [0, 3, 6] },
      { types: ["charge.succeeded", "refund.created"], places: [0, 2, 3, 5, 6, 8] },
      { types: ["charge.failed"], places: [] },
    ])("of types $types come only theirs", async ({ types, places }) => {
      expect(await list({ types })).toEqual({ places, hasMore: false });
    });

    test("pages of one type go on both ways from a cursor", async () => {
      const types: readonly EventType[] = ["charge.succeeded"];
      expect(await list({ types, limit: 2 })).toEqual({ places: [0, 3], hasMore: true });
      expect(await list({ types, limit: 2, startingAfter: at(3) })).toEqual({ places: [6], hasMore: false });
      expect(await list({ types, limit: 1, endingBefore: at(6) })).toEqual({ places: [3], hasMore: true });
    });

    test("bounds of time include their begin and not their end", async () => {
      const bounds = { createdFromMs: at(5).createdAtMs, createdBeforeMs: at(1).createdAtMs };
      expect(await list(bounds)).toEqual({ places: [2, 3, 4, 5], hasMore: false });
    });
  });
}

const types: readonly EventType[] = ["charge.succeeded", "payment_intent.succeeded", "refund.created"];

/** Nine events in the order of the list, three of each type. */
const newestFirst: readonly PaymentEvent[] = Array.from({ length: 9 }, (_, place) =>
  eventRow({
    id: `evt_list_${9 - place}`,
    accountId: "acct_events",
    type: types[place % 3] ?? "charge.succeeded",
    createdAtMs: atMs - place,
    // Most of them; an event that nothing traced has none.
    ...(place === 4 ? {} : { traceparent: `00-${"a".repeat(32)}-000000000000000${place + 1}-01` }),
  }),
);

const everything: EventQuery = {
  accountId: "acct_events",
  limit: 100,
  types: null,
  startingAfter: null,
  endingBefore: null,
  createdFromMs: null,
  createdBeforeMs: null,
};

function at(place: number): PaymentEvent {
  const event = newestFirst[place];
  if (event === undefined) throw new Error(`there is no place ${place}`);
  return event;
}
