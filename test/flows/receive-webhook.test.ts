// A receiver's whole path: verified, handled once, remembered; duplicates, twins, crashes and failing handlers.
// It must never look at how the flow remembers, only at how often the handler ran.
import { memorySeenEvents } from "../../functions/adapters/memory/seen-events.ts";
import { signatureHeaders, signingSecretFrom } from "../../functions/domain/signature.ts";
import { receiveWebhook } from "../../functions/flows/receive-webhook.ts";
import type { SeenEvents } from "../../functions/flows/receiver-ports.ts";
import { manualClock } from "../support/manual-clock.ts";

const secret = signingSecretFrom(new Uint8Array(32).fill(1));
const startMs = 1_800_000_000_000;

function shop(change: { handle?: () => Promise<void>; seen?: SeenEvents } = {}) {
  const clock = manualClock(startMs);
  const handled: string[] = [];
  let tokens = 0;
  const dependencies = {
    seen: change.seen ?? memorySeenEvents(),
    clock,
    random: {
      token: () => {
        tokens += 1;
        return `owner_${tokens}`;
      },
    },
    secrets: [secret],
    handle: async (eventId: string, body: Uint8Array) => {
      await change.handle?.();
      handled.push(`${eventId} ${Buffer.from(body)}`);
    },
  };
  /** The sender's next attempt: the same event, signed anew. */
  const receive = (id = "evt_1", headers: Record<string, undefined> = {}) => {
    const rawBody = Buffer.from(`{"id":"${id}"}`);
    const signed = signatureHeaders({ id, body: rawBody, signedAtMs: clock.now() }, [secret]);
    const lower = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
    return receiveWebhook(dependencies, { rawBody, headers: { ...lower, ...headers } });
  };
  return { clock, handled, receive, dependencies };
}

describe("a receiver", () => {
  test("handles an event once, and calls every later copy a duplicate", async () => {
    const { clock, handled, receive } = shop();

    expect(await receive()).toEqual({ kind: "handled", eventId: "evt_1" });
    await clock.advance(3 * 86_400_000);
    expect(await receive()).toEqual({ kind: "duplicate", eventId: "evt_1" });
    expect(handled).toEqual(['evt_1 {"id":"evt_1"}']);
  });

  test("F21 knows a copy without the id header for the same event", async () => {
    const { handled, receive } = shop();
    await receive();

    expect(await receive("evt_1", { "webhook-id": undefined })).toEqual({ kind: "duplicate", eventId: "evt_1" });
    expect(handled).toHaveLength(1);
  });

  test("handles different events each", async () => {
    const { handled, receive } = shop();
    await receive("evt_1");
    await receive("evt_2");

    expect(handled).toHaveLength(2);
  });

  test("handles none that is not genuine, and remembers nothing of it", async () => {
    const { handled, dependencies, receive } = shop();
    const forged = { rawBody: Buffer.from('{"id":"evt_1"}'), headers: { "webhook-id": "evt_1" } };

    expect(await receiveWebhook(dependencies, forged)).toEqual({ kind: "refused", reason: "signature_missing" });
    expect(handled).toEqual([]);
    expect(await receive()).toMatchObject({ kind: "handled" });
  });

  test("of two copies at once handles one, and sends the other away for a while", async () => {
    let letGo = () => {};
    const waiting = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { handled, receive } = shop({ handle: async () => await waiting });

    const first = receive();
    await new Promise((resolve) => setImmediate(resolve));
    const second = await receive();
    letGo();

    expect(second).toEqual({ kind: "busy", eventId: "evt_1", retryAfterSeconds: 30 });
    expect(await first).toMatchObject({ kind: "handled" });
    expect(handled).toHaveLength(1);
  });

  test("lets the next attempt try at once when its handler failed", async () => {
    let failures = 1;
    const { handled, receive } = shop({
      handle: async () => {
        failures -= 1;
        if (failures === 0) throw new Error("The stock database is down.");
      },
    });

    await expect(receive()).rejects.toThrow("The stock database is down.");
    expect(await receive()).toMatchObject({ kind: "handled" });
    expect(handled).toHaveLength(1);
  });

  test("reports the handler's error even when the claim cannot be given back", async () => {
    const seen = memorySeenEvents();
    const stuck: SeenEvents = { ...seen, release: async () => Promise.reject(new Error("The store is down too.")) };
    let failing = true;
    const { clock, receive } = shop({
      seen: stuck,
      handle: async () => {
        if (failing) throw new Error("The stock database is down.");
      },
    });

    await expect(receive()).rejects.toThrow("The stock database is down.");
    failing = false;
    expect(await receive()).toMatchObject({ kind: "busy" });
    await clock.advance(30_000);
    expect(await receive()).toMatchObject({ kind: "handled" });
  });

  test("repeats, after the lease, what a crash between effect and mark left open", async () => {
    const seen = memorySeenEvents();
    let crashing = true;
    const crashed: SeenEvents = {
      ...seen,
      finish: async (...all) => (crashing ? Promise.reject(new Error("killed")) : seen.finish(...all)),
    };
    const { clock, handled, receive } = shop({ seen: crashed });

    await expect(receive()).rejects.toThrow("killed");
    crashing = false;
    await clock.advance(30_000);
    expect(await receive()).toMatchObject({ kind: "handled" });
    expect(handled).toHaveLength(2);
  });
});
