// The scheduler: what a job's call looks like, when it comes, and how it is repeated.
import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseCron } from "../../local/cron.ts";
import { listenFrom } from "../../local/listen.ts";
import { type MovableClock, movableClock } from "../../local/movable-clock.ts";
import type { PlannedJob } from "../../local/plan-jobs.ts";
import { startScheduler } from "../../local/scheduler.ts";
import { tokenIssuer } from "../../local/token-issuer.ts";
import { manualClock } from "../support/manual-clock.ts";
import { planned } from "./planned.ts";

/** 30 s before a full minute. */
const startMs = Date.parse("2026-01-15T12:00:30Z");
const minuteMs = 60_000;

// Here and not in a test: the first synthesis of a process takes seconds.
const plan = planned();

type Call = { atMs: number; line: string; headers: Record<string, unknown>; body: string };

let server: Server | undefined;
let scheduler: { stop(): void } | undefined;
afterEach(() => {
  scheduler?.stop();
  server?.close();
  server?.closeAllConnections();
});

/** A scheduler for the plan's job, changed, and a server that answers its calls by their number. */
async function open(
  change: Partial<PlannedJob>,
  answer: (call: number) => number | Promise<number> = () => 200,
  clock: MovableClock = movableClock(startMs),
) {
  const issuer = await tokenIssuer(clock);
  const calls: Call[] = [];
  const logged: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  server = createServer(async (incoming, outgoing) => {
    const body = (await buffer(incoming)).toString();
    calls.push({ atMs: clock.now(), line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body });
    outgoing.writeHead(await answer(calls.length)).end("why");
  });
  const address = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
  const jobs = plan.jobs.filter(({ url }) => url.endsWith("/complete")).map((job) => ({ ...job, ...change }));
  scheduler = startScheduler(
    {
      clock,
      issuer,
      localUrl: (url) => url.replace("https://ledger-writer.function.invalid", address),
      maySign: () => undefined,
      log: (_severity, message, fields = {}) => void logged.push({ message, fields }),
    },
    jobs,
  );
  /** In which minute, counted from the first full one, each call came, to half a minute. */
  const minutes = () => calls.map(({ atMs }) => Math.floor((atMs - startMs) / (minuteMs / 2)) / 2 - 0.5);
  return { clock, issuer, calls, logged, minutes };
}

describe("a scheduled job of the plan", () => {
  test("calls its function each minute, with a token of its account for that function", async () => {
    const { clock, issuer, calls, minutes } = await open({});

    await clock.advance(3 * minuteMs);

    expect(minutes()).toEqual([0, 1, 2]);
    expect(calls[0]).toMatchObject({
      line: "POST /complete",
      body: "",
      headers: {
        "user-agent": "Google-Cloud-Scheduler",
        "x-cloudscheduler": "true",
        "x-cloudscheduler-jobname": "complete-attempts",
      },
    });
    const token = String(calls[0]?.headers["authorization"]).replace("Bearer ", "");
    expect(issuer.check(token)).toMatchObject({
      email: "ledger-schedule@local-project.iam.gserviceaccount.com",
      aud: "https://ledger-writer.function.invalid",
    });
  });

  test("is not repeated when it fails, because the plan says so; the next minute calls again", async () => {
    const { clock, logged, minutes } = await open({}, () => 500);

    await clock.advance(2 * minuteMs);

    expect(minutes()).toEqual([0, 1]);
    expect(logged[0]).toEqual({
      message: "scheduled call failed",
      fields: { job: "complete-attempts", attempt: 0, status: 500, answer: "why" },
    });
  });

  test("that is paused calls nobody", async () => {
    const { clock, calls } = await open({ isPaused: true });

    await clock.advance(5 * minuteMs);

    expect(calls).toEqual([]);
  });

  test("calls nobody any more once it was stopped", async () => {
    const { clock, calls } = await open({});
    scheduler?.stop();

    await clock.advance(5 * minuteMs);

    expect(calls).toEqual([]);
  });

  test("sends its body and headers", async () => {
    const headers = { "Content-Type": "application/json" };
    const { clock, calls } = await open({ body: Buffer.from("{}"), headers, method: "PUT" });

    await clock.advance(minuteMs);

    expect(calls[0]).toMatchObject({
      line: "PUT /complete",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
  });
});

describe("a failed call", () => {
  const retry = { count: 5, durationMs: 0, firstWaitMs: 60_000, longestWaitMs: 3_600_000, doublings: 2 };
  /** Once a day, half a minute after the clock's start. */
  const once = parseCron("1 12 * * *");

  test("is repeated as often as the job says, in waits that double and then grow evenly", async () => {
    const { clock, minutes } = await open({ cron: once, retry }, () => 503);

    await clock.advance(60 * minuteMs);

    expect(minutes()).toEqual([0, 1, 3, 7, 15, 27]);
  });

  test("is not repeated any more once it has succeeded", async () => {
    const { clock, minutes } = await open({ cron: once, retry }, (call) => (call < 3 ? 503 : 204));

    await clock.advance(60 * minuteMs);

    expect(minutes()).toEqual([0, 1, 3]);
  });

  test("is given up when its time is over", async () => {
    const { clock, minutes } = await open({ cron: once, retry: { ...retry, durationMs: 4 * minuteMs } }, () => 503);

    await clock.advance(60 * minuteMs);

    expect(minutes()).toEqual([0, 1, 3]);
  });

  test("is not repeated into the next start", async () => {
    const { clock, minutes } = await open({ retry: { ...retry, firstWaitMs: 45_000 } }, () => 503);

    await clock.advance(2.5 * minuteMs);

    expect(minutes()).toEqual([0, 0.5, 1, 1.5, 2]);
  });

  test("is a redirect too", async () => {
    const { clock, logged } = await open({}, () => 302);

    await clock.advance(minuteMs);

    expect(logged.map(({ fields }) => fields["status"])).toEqual([302]);
  });

  test("is an answer that comes after its deadline", async () => {
    const { clock, logged } = await open({ attemptDeadlineMs: 500 }, () => new Promise<number>(() => {}));

    await clock.advance(minuteMs);

    expect(logged.map(({ fields }) => fields["reason"])).toEqual(["TimeoutError"]);
  });

  test("that still runs delays the starts that come due meanwhile to one, so that never two run at once", async () => {
    // given a clock that also moves while a call hangs
    const standing = manualClock(startMs);
    const ends: (() => void)[] = [];
    const { calls } = await open({}, () => new Promise((resolve) => ends.push(() => resolve(200))), {
      ...standing,
      hold: (work) => work,
    });
    const untilCalls = async (count: number) => {
      while (ends.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    // when
    await standing.advance(minuteMs);
    await untilCalls(1);
    await standing.advance(3 * minuteMs);
    const whileItRuns = calls.length;
    ends[0]?.();
    await untilCalls(2);
    ends[1]?.();
    await standing.advance(minuteMs / 4);
    // then
    expect([whileItRuns, calls.length]).toEqual([1, 2]);
  });
});

describe("the plan's job", () => {
  const job = (change: (job: Record<string, unknown>) => void) =>
    planned(({ google_cloud_scheduler_job: jobs }) => change(Object.values(jobs ?? {})[0])).jobs[0];

  test("is read with every reference resolved, and Cloud Scheduler's defaults", () => {
    expect(job(() => {})).toMatchObject({
      name: "complete-attempts",
      timeZone: "Etc/UTC",
      url: "https://ledger-writer.function.invalid/complete",
      method: "POST",
      token: {
        account: "ledger-schedule@local-project.iam.gserviceaccount.com",
        audience: "https://ledger-writer.function.invalid",
      },
      retry: { count: 0, durationMs: 0, firstWaitMs: 5_000, longestWaitMs: 3_600_000, doublings: 5 },
    });
  });

  test.each([
    ["a schedule", { schedule: "every 5 minutes" }, "complete-attempts"],
    ["a duration", { attempt_deadline: "3m" }, "has the duration 3m"],
    ["another target", { http_target: undefined, pubsub_target: {} }, "has no HTTP target"],
  ])("stops the laptop when it has %s that it does not know", (_title, change, message) => {
    expect(() => job((resource) => Object.assign(resource, change))).toThrow(message);
  });

  test("has its whole URL for an audience when it names none, as in the cloud, where that is refused", () => {
    const changed = job(({ http_target: target }) => {
      delete (target as { oidc_token: { audience?: string } }).oidc_token.audience;
    });

    expect(changed?.token?.audience).toBe("https://ledger-writer.function.invalid/complete");
  });
});
