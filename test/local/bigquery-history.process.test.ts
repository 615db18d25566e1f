// Asks the laptop's history through the official BigQuery client over HTTP, and reads what the client sends.
// It must never reach a real project: the client, which takes a second to load, has a port of this machine as its address.

import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { bigqueryHistory } from "../../functions/adapters/bigquery-history.ts";
import type { Question } from "../../functions/adapters/bigquery-questions.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { listenFrom } from "../../local/listen.ts";
import { openQueryEndpoint } from "../../local/query-endpoint.ts";
import { thatDay } from "../support/history-rows.ts";

const names = { projectId: "p", dataset: "p.payments_history", location: "us-central1" };
const asked = { accountId: "acct_1' OR '1'='1", range: thatDay, limit: 7 };
const before = { ...process.env };
let closing: { close(): void }[];
let endings: (() => void)[];

beforeEach(() => {
  closing = [];
  endings = [];
  // As the laptop's processes have it: nobody looks for credentials.
  process.env["METADATA_SERVER_DETECTION"] = "none";
});
afterEach(() => {
  for (const one of closing) one.close();
  process.env = { ...before };
});

/** Answers like BigQuery does, and keeps what it was asked. */
async function recording(status: number, body: object, isSilent = false) {
  const requests: { target: string; body: Record<string, unknown> }[] = [];
  const server: Server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    requests.push({ target: `${request.method} ${request.url}`, body: JSON.parse(bytes.toString() || "{}") });
    const end = () => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (isSilent) endings.push(end);
    else end();
  });
  process.env["BIGQUERY_EMULATOR_HOST"] = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
  closing.push({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return requests;
}

const jobReference = { projectId: "p", jobId: "j", location: "us-central1" };
const nothing = { jobComplete: true, jobReference, totalRows: "0", schema: { fields: [] } };

describe("a question to BigQuery", () => {
  test("is one request with every value as a typed parameter, and with a limit of bytes, time and place", async () => {
    const requests = await recording(200, nothing);

    expect(await bigqueryHistory(names).deliveryDays({ ...asked, endpointId: "we_'1" })).toEqual([]);

    expect(requests).toHaveLength(1);
    const { target, body } = requests[0] ?? { target: "", body: {} };
    expect(target).toMatch(/^POST \/projects\/p\/queries/);
    expect(body).toMatchObject({
      useLegacySql: false,
      parameterMode: "named",
      location: "us-central1",
      maximumBytesBilled: String(20 * 1024 ** 3),
      timeoutMs: 15_000,
    });
    expect(body["query"]).toContain("FROM `p.payments_history.delivery_days`");
    expect(body["query"]).not.toMatch(/acct_1|we_|OR '1'/);
    const parameters = body["queryParameters"] as { name: string; parameterType: object; parameterValue: object }[];
    expect(parameters).toContainEqual({
      ...{ name: "account", parameterType: { type: "STRING" }, parameterValue: { value: asked.accountId } },
    });
    expect(parameters.map(({ name }) => name).sort()).toEqual([
      "account",
      "archivedFrom",
      "archivedUntil",
      "endpoint",
      "from",
      "limit",
      "until",
    ]);
    expect(parameters.find(({ name }) => name === "limit")).toMatchObject({ parameterType: { type: "INT64" } });
  });

  test("is not sent at all when it is out of bounds", async () => {
    const requests = await recording(200, nothing);

    const range = { fromMs: 0, untilMs: Date.UTC(2027, 0, 1) };
    await expect(bigqueryHistory(names).paymentDays({ ...asked, range })).rejects.toMatchObject({ param: "until" });

    expect(requests).toEqual([]);
  });

  test.each([
    [403, "accessDenied", "permission_denied"],
    [403, "quotaExceeded", "store_unavailable"],
    [400, "bytesBilledLimitExceeded", "store_unavailable"],
    [400, "invalidQuery", "internal"],
  ])("fails with %i %s as %s, and quotes nothing", async (status, reason, code) => {
    await recording(status, {
      error: { code: status, message: "SELECT secret", errors: [{ reason, message: "secret" }] },
    });

    const failure = await bigqueryHistory(names)
      .paymentDays(asked)
      .catch((error: unknown) => error);

    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain("secret");
  });

  test("is given up when nothing comes back", async () => {
    await recording(200, { ...nothing, jobComplete: false });
    await expect(bigqueryHistory(names).paymentDays(asked)).rejects.toMatchObject({ code: "store_unavailable" });

    await recording(200, nothing, true);
    const hanging = bigqueryHistory({ ...names, timeoutMs: 1, graceMs: 50 }).paymentDays(asked);
    await expect(hanging).rejects.toMatchObject({ code: "store_unavailable" });
    // The client goes on waiting, and would ask again if its connection were cut.
    for (const end of endings) end();
  });
});

describe("the laptop's BigQuery", () => {
  test("answers the real client: texts, numbers beyond 2^53, nothing, and what the account may not do", async () => {
    const questions: Question[] = [];
    const row = {
      day_ms: 1_799_971_200_000n,
      currency: "usd",
      payments: 1n,
      succeeded: 1n,
      canceled: 0n,
      declined: 0n,
    };
    const answers = [
      () => [{ ...row, received_minor: 9_007_199_254_740_993n }],
      () => {
        throw refuse("permission_denied", "lacks bigquery.jobs.create");
      },
    ];
    const endpoint = await openQueryEndpoint(async (question) => {
      questions.push(question);
      return answers[questions.length - 1]?.() ?? [];
    });
    closing.push(endpoint);
    process.env["BIGQUERY_EMULATOR_HOST"] = endpoint.url;
    const history = bigqueryHistory(names);

    expect(await history.paymentDays(asked)).toMatchObject([
      { currency: "usd", receivedMinor: 9_007_199_254_740_993n },
    ]);
    await expect(history.paymentDays(asked)).rejects.toMatchObject({ code: "permission_denied" });
    expect(await history.replayDays(asked)).toEqual([]);
    expect(questions[0]?.params).toMatchObject({ account: asked.accountId, from: thatDay.fromMs, limit: 7 });
  });
});
