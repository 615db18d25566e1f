// Real processes of the deployed bundles: twins over two of them, an end in the middle of a payment, and the smoke script.
// It must never prove with one process what two could break.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startGrpcProxy } from "../../support/grpc-proxy.ts";
import { openAcquirerDoor } from "./acquirer-door.ts";
import { effectsOf, openStage, pay, type Reply, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage?.close();
});

const onePayment = { intents: 1, charges: 1, bookings: 1, authorizations: 1 };

/** Two process starts and a hundred commits on one row: 5 s on a quiet machine, half a minute on a busy one. */
const twinsMsMax = 120_000;

test(
  "100 parallel twins over two processes make one payment, and every answer is the first one or a 409",
  async () => {
    // given two processes that share the stores, both awake
    const processes = await Promise.all([stage.startApi(), stage.startApi()]);
    for (const [index, { baseUrl }] of processes.entries()) {
      await pay(baseUrl, { apiKey: stage.apiKey, key: `awake-${index}`, amountMinor: 100 });
    }
    const order = { apiKey: stage.apiKey, key: "a hundred twins", amountMinor: 2_100 };
    const send = (index: number): Promise<Reply> => pay(processes[index % 2]?.baseUrl ?? "", order);
    // when
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => send(index)));
    // then
    const paid = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(new Set(paid.map(({ text }) => text)).size).toBe(1);
    expect(paid.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const { text } of answers.filter(({ status }) => status === 409)) {
      expect(JSON.parse(text).error.code).toBe("idempotency_key_in_use");
    }
    // and later retries hear the same, from either process
    const later = [];
    for (let index = 0; index < 10; index += 1) later.push(await send(index));
    expect(later).toEqual(Array.from({ length: 10 }, () => ({ status: 200, text: paid[0]?.text, replayed: true })));
    expect(await effectsOf(stage, order.amountMinor)).toEqual(onePayment);
  },
  twinsMsMax,
);

test("SIGTERM in the middle of a payment: the process answers it and ends with 0 within 10 s", async () => {
  // given a payment that waits for the acquirer
  const door = await openAcquirerDoor(stage.acquirerUrl);
  try {
    const api = await stage.startApi({ acquirerUrl: door.baseUrl });
    door.shut();
    const answer = pay(api.baseUrl, { apiKey: stage.apiKey, key: "at the end", amountMinor: 2_200 });
    await door.waiting(1);
    // when the process is told to end, and takes no new connection any more
    const ended = api.stop();
    await untilRefused(api.baseUrl);
    door.passOne();
    // then
    expect(await answer).toMatchObject({ status: 200, replayed: false, text: expect.stringContaining('"succeeded"') });
    const { code, signal, stopMs } = await ended;
    expect([code, signal]).toEqual([0, null]);
    expect(stopMs).toBeLessThan(10_000);
    expect(await effectsOf(stage, 2_200)).toEqual(onePayment);
  } finally {
    await door.close();
  }
});

/** Where Google's Pub/Sub emulator is not installed it is counted as skipped. */
const testWithTopic = process.env["PUBSUB_EMULATOR_HOST"] === undefined ? test.skip : test;

testWithTopic(
  "SIGTERM after a payment: its events are on the topic, and the process has taken their rows from the outbox",
  async () => {
    // given a payment of a process that publishes
    const api = await stage.startApi();
    const answer = await pay(api.baseUrl, { apiKey: stage.apiKey, key: "published", amountMinor: 2_400 });
    const intentId = JSON.parse(answer.text).id;
    const own = (await stage.database.rows("events")).filter(({ data }) => Buffer.from(data).includes(intentId));
    // when it ends, before any other commit could carry the deletes
    const { code } = await api.stop();
    // then
    expect(code).toBe(0);
    const published = (await stage.topic?.received(1_000)) ?? [];
    const ids = published.map(({ attributes }) => attributes["event_id"]);
    expect(own.map(({ id }) => id).filter((id) => ids.includes(id))).toHaveLength(3);
    const waiting = (await stage.database.rows("outbox")).map(({ eventId }) => eventId);
    expect(own.map(({ id }) => id).filter((id) => waiting.includes(id))).toEqual([]);
  },
);

test("SIGTERM after payments whose cache hangs: no call that nobody waits for keeps the process", async () => {
  // given a process that has lost its cache, and has calls open to it
  const firestore = await startGrpcProxy({ target: process.env["FIRESTORE_EMULATOR_HOST"] ?? "" });
  try {
    const api = await stage.startApi({ firestoreHost: firestore.host });
    for (const method of ["Commit", "BatchGetDocuments"]) firestore.hold(method);
    const answer = await pay(api.baseUrl, { apiKey: stage.apiKey, key: "no cache", amountMinor: 2_300 });
    expect(answer.status).toBe(200);
    // when
    const { code, signal, stopMs } = await api.stop();
    // then
    expect([code, signal]).toEqual([0, null]);
    expect(stopMs).toBeLessThan(10_000);
  } finally {
    await firestore.close();
  }
});

test("npm run smoke passes against a process with a key made through the accounts in Spanner", async () => {
  const api = await stage.startApi();
  const { code, output } = await runSmoke(api.baseUrl, stage.apiKey);
  expect(output.trimEnd().split("\n").at(-1)).toBe("16 passed, 0 failed");
  expect(code).toBe(0);
});

/** Bound of `untilRefused`: a process hears a signal in milliseconds. */
const refusedMsMax = 5_000;

async function untilRefused(baseUrl: string): Promise<void> {
  const deadline = performance.now() + refusedMsMax;
  while (performance.now() < deadline) {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(baseUrl).port) });
    const accepted = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!accepted) return;
    await pause(10);
  }
  throw new Error(`it still accepts connections ${refusedMsMax} ms after SIGTERM`);
}

async function runSmoke(url: string, apiKey: string): Promise<{ code: number; output: string }> {
  const script = path.join(import.meta.dirname, "..", "..", "..", "scripts", "smoke.sh");
  return await new Promise((resolve) => {
    execFile("sh", [script, "--url", url, "--key", apiKey], (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}
