// The redrive script against a running laptop's control door: the plan that it shows is the one that it sends.
// It must never reach a project.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type MemoryPublisher, memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { openControl } from "../../local/control.ts";
import { memoryStores, type Stores } from "../../local/embedded.ts";

const script = path.join(import.meta.dirname, "..", "..", "scripts", "redrive.ts");
let folder: string;
let control: { close(): void };
let stores: Stores;
let publisher: MemoryPublisher;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "redrive-"));
  [stores, publisher] = [memoryStores(), memoryPublisher()];
  control = await openControl({ ...stores, publisher, callJob: async () => ({}) }, path.join(folder, "control.json"));
});
afterEach(() => {
  control.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  new Promise<{ code: unknown; output: string; complaint: string }>((ended) => {
    const env = { ...process.env, LAPTOP_FOLDER: folder };
    execFile(process.execPath, [script, ...args], { env }, (error, output, complaint) =>
      ended({ code: error?.code ?? 0, output, complaint }),
    );
  });

const bury = async (eventId: string | null, source = "payment-events-to-invoice") =>
  await stores.deadLetters.record({
    ...{ id: `${source} ${eventId}`, source, eventId, eventType: "charge.succeeded", deliveries: 100 },
    ...{
      recordedAtMs: 1_772_366_400_000,
      attributes: { event_type: "charge.succeeded" },
      data: new Uint8Array([123, 125]),
    },
  });

describe("npm run redrive", () => {
  test("shows a plan, sends exactly that one, and the second time only says what it did", async () => {
    await bury("evt_1");
    await bury("evt_1", "payment-events-to-risk");
    await bury(null);

    const dry = await run("--from", "events", "--dry-run");
    expect([dry.code, publisher.messages()]).toEqual([0, []]);
    const plan = /^plan ([0-9a-f]{16})$/m.exec(dry.output)?.[1] ?? "";
    expect(dry.output).toBe(
      [
        "1 event would be sent again, for 2 dead letters:",
        "  evt_1  charge.succeeded  given up by payment-events-to-invoice, payment-events-to-risk",
        "1 letter stays: no event, or too large to be kept",
        `plan ${plan}`,
        `npm run redrive -- --from events --run ${plan}`,
        "",
      ].join("\n"),
    );

    const done = await run("--from", "events", "--run", plan);
    expect(done.output).toMatch(
      new RegExp(
        `^plan ${plan} done \\S+: 1 event sent, 1 duplicate skipped, 0 perhaps sent twice, 0 left to another redrive\n$`,
      ),
    );
    expect((await run("--from", "events", "--run", plan)).output).toBe(done.output);
    expect(publisher.messages()).toHaveLength(1);
    expect((await run("--from", "events", "--dry-run")).output).toMatch(
      /^no event waits to be sent again\n1 letter stays/,
    );
  });

  test("refuses a plan that is not the one of what waits, and sends nothing", async () => {
    await bury("evt_1");

    const refused = await run("--from", "events", "--run", "0123456789abcdef");

    expect(refused).toMatchObject({ code: 1, output: "", complaint: expect.stringContaining("make a new dry run") });
    expect(publisher.messages()).toEqual([]);
  });

  test.each([
    [[], "--from is missing; it may be events, webhooks"],
    [["--from", "nowhere", "--dry-run"], "--from may be events, webhooks, not nowhere"],
    [["--from", "events"], "one of --dry-run and --run PLAN is needed"],
    [["--from", "events", "--dry-run", "--run", "0123456789abcdef"], "one of --dry-run and --run PLAN is needed"],
    [["--from", "events", "--run", "all"], "--run takes the plan that a dry run named"],
  ])("says what is wrong with %j", async (args, words) => {
    const refused = await run(...args);

    expect([refused.code, refused.output]).toEqual([2, ""]);
    expect(refused.complaint).toContain(words);
  });
});
