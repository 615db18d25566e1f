// The life of a key as a terminal shows it: one story of the stores' steps and the logs' lines, and errors that help.
// It must never reach a running laptop or a project: the laptop's own tests use the script for real.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemRandom } from "../../functions/adapters/system.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { type KeyDeskAnswer, keyDesk } from "../../functions/edge/key-desk.ts";
import type { History, KeyLine } from "../../functions/flows/history-ports.ts";
import { createApiKey } from "../../functions/flows/manage-api-keys.ts";
import { storyLines } from "../../scripts/key/story-lines.ts";
import { key } from "../../scripts/key.ts";
import { beginMs, openWorld, payForm, type World } from "../support/world.ts";

/** A replay as the logs have it, a second after the first request. */
const replay: KeyLine = {
  ...{ lineId: "l1", atMs: beginMs + 1_000, severity: "INFO", message: "request", service: "payments-api" },
  ...{ requestId: "req_2", originalRequestId: "req_1", keyOutcome: "replayed", generation: 1, method: "POST" },
  ...{ path: "/v1/payment_intents", status: 200, code: null, durationMs: 3, attemptId: null, paymentIntentId: null },
  ...{ eventId: null, deliveryId: null, traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: null },
};

/** What the desk says of `order-1` of the world's first account, which operators call `first`. */
async function desk(world: World, sent: string, keyLines?: History["keyLines"]): Promise<KeyDeskAnswer> {
  const { accounts, stories, cache, deliveries, clock } = world;
  const history = keyLines === undefined ? null : { keyLines };
  return await keyDesk({ accounts, stories, cache, deliveries, clock, history }, { accountName: "first", key: sent });
}

function shown({ life, lines = null }: KeyDeskAnswer, sent = "order-1"): string[] {
  if (life === undefined) throw new Error("the desk refused");
  return storyLines({ life, lines }, { key: sent, account: "first", withoutLogs: (id) => `no logs of ${id}` });
}

async function paid(sent = "order-1"): Promise<World> {
  const world = await openWorld();
  await world.post("/v1/payment_intents", payForm, { key: sent });
  await world.clock.advance(2_000);
  return world;
}

describe("the story of a key on a terminal", () => {
  test("tells what it is, what happened, what the logs add, and what is to come", async () => {
    const asked: unknown[] = [];
    const answer = await desk(await paid(), "order-1", async (query) => {
      asked.push(query);
      return { lines: [replay], next: null };
    });

    const lines = shown(answer);

    expect(asked).toEqual([expect.objectContaining({ accountId: "acct_first", keyId: answer.life?.key_id })]);
    expect(lines.slice(0, 5).map((line) => line.split(" ")[0])).toEqual(["key", "id", "request", "ledger", "cache"]);
    expect(lines[0]).toBe("key      order-1 of first: completed");
    expect(lines[6]).toMatch(/^2026-01-15 12:00:00\.000Z {2}The first commit wrote the key/);
    const told = lines.find((line) => line.includes("log:"));
    expect(told).toBe(
      "2026-01-15 12:00:01.000Z  log: payments-api request: replayed, status 200, 3 ms, req_2, the answer of req_1, " +
        "generation 1, trace 4bf92f3577b34da6a3ce929d0e0e4736",
    );
    expect(lines.indexOf("to come:")).toBeGreaterThan(lines.indexOf(told ?? ""));
    expect(lines.at(-1)).toBe("in the logs: 1 replayed");
  });

  test.each([
    ["is not there", undefined],
    ["does not answer", async () => Promise.reject(refuse("store_unavailable", "away"))],
  ])("is told without the logs when the history %s, and says where they are", async (_, keyLines) => {
    const answer = await desk(await paid(), "order-1", keyLines);
    expect(shown(answer).at(-1)).toBe(`no logs of ${answer.life?.key_id}`);
  });

  test("moves no cursor, whatever the key and a receiver wrote", async () => {
    const sent = "order\u009b31m \u202egnp";
    const lines = shown(await desk(await paid(sent), sent), sent);
    expect(lines[0]).toBe("key      order\u{fffd}31m \u{fffd}gnp of first: completed");
  });

  test.each([
    ["a key that was never used", "order-2", "first never used this key, or too long ago"],
    ["a key that no header holds", "k".repeat(256), "a key has 1 to 255 characters"],
  ])("refuses %s in words", async (_, sent, refused) => {
    expect(await desk(await paid(), sent)).toEqual({ refused });
  });

  test("knows accounts by their names, and makes none", async () => {
    const world = await paid();
    const { accounts, stories, cache, deliveries, clock } = world;
    const deps = { accounts, stories, cache, deliveries, clock, history: null };
    expect(await keyDesk(deps, { accountName: "bob", key: "order-1" })).toEqual({
      refused: "there is no account bob, or it never had an API key",
    });
    await createApiKey({ accounts, clock, random: systemRandom }, "bob");
    expect(await keyDesk(deps, { accountName: "bob", key: "order-1" })).toMatchObject({
      refused: expect.stringContaining("bob never used this key"),
    });
  });
});

describe("npm run key", () => {
  /** Exit code and everything that was said, in a place where no laptop runs. */
  async function run(...args: string[]) {
    const folder = mkdtempSync(path.join(tmpdir(), "key-"));
    const said: string[] = [];
    const tell = (line: string) => void said.push(line);
    const environment = { LAPTOP_FOLDER: folder, STAGE_FILE: "none" };
    const code = await key(args, { environment, say: tell, complain: tell });
    rmSync(folder, { recursive: true });
    return { code, text: said.join("\n") };
  }

  test.each([
    ["without a key", [], 2, /KEY is missing.*npm run key -- KEY/s],
    ["with two", ["order", "17"], 2, /one KEY at a time; put quotes around/],
    ["with an unknown flag", ["order-1", "--live"], 2, /--live/],
    ["of a stage without an account", ["order-1", "--stage"], 2, /--stage needs --account NAME/],
    ["of a stage without a project", ["order-1", "--stage", "--account", "shop"], 1, /--stage needs PROJECT_ID/],
    ["without a laptop", ["order-1"], 1, /^key: no laptop is running here: `npm start` first/],
    ["for help", ["--help"], 0, /^npm run key -- KEY/],
  ])("%s says what to do", async (_, args, code, text) => {
    expect(await run(...args)).toEqual({ code, text: expect.stringMatching(text) });
  });
});
