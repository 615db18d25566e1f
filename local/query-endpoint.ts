// The one call of BigQuery that function processes make, over HTTP: a query with parameters, as the account of the function.
// It must never listen beyond loopback, nor answer for an account other than the one that its port belongs to.

import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Ask, Question } from "../functions/adapters/bigquery-questions.ts";
import type { HistoryRow } from "../functions/adapters/bigquery-rows.ts";
import { hasCode } from "../functions/domain/errors.ts";
import { listenFrom } from "./listen.ts";

/** Opens a port on loopback; whoever sets BIGQUERY_EMULATOR_HOST to `url` asks there. */
export async function openQueryEndpoint(ask: Ask): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(ask, `${request.method} ${request.url}`, await buffer(request));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  const url = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Answer = { status: number; body: object };

async function answer(ask: Ask, asked: string, bytes: Buffer): Promise<Answer> {
  const projectId = /^POST \/projects\/([\w:.-]+)\/queries(?:\?|$)/.exec(asked)?.[1];
  if (projectId === undefined) return refused(404, "notFound", `there is no ${asked} here`);
  try {
    const question = questionIn(JSON.parse(bytes.toString("utf8")) as QueryRequest);
    const rows = await ask(question);
    const jobReference = { projectId, jobId: "local", location: "local" };
    return { status: 200, body: { jobComplete: true, jobReference, totalRows: String(rows.length), ...tableOf(rows) } };
  } catch (error) {
    const message = error instanceof Error ? error.message : "unknown";
    return hasCode(error, "permission_denied")
      ? refused(403, "accessDenied", message)
      : refused(400, "invalidQuery", message);
  }
}

function refused(status: number, reason: string, message: string): Answer {
  return { status, body: { error: { code: status, message, errors: [{ reason, message }] } } };
}

/** A request as the REST API of BigQuery has it, as far as the adapter uses it. */
type QueryRequest = { query: string; queryParameters?: readonly QueryParameter[] };

type QueryParameter = { name: string; parameterType: { type: string }; parameterValue: { value: string } };

function questionIn({ query, queryParameters = [] }: QueryRequest): Question {
  const values = queryParameters.map(
    ({ name, parameterType, parameterValue: { value } }): [string, string | number] => [
      name,
      parameterType.type === "INT64" ? Number(value) : value,
    ],
  );
  return { sql: query, params: Object.fromEntries(values) };
}

/** Values go as text there; a column's type is that of its first value. */
function tableOf(rows: readonly HistoryRow[]) {
  const names = Object.keys(rows[0] ?? {});
  const typeOf = (name: string) =>
    typeof rows.find((row) => row[name] !== null)?.[name] === "bigint" ? "INT64" : "STRING";
  return {
    schema: { fields: names.map((name) => ({ name, type: typeOf(name), mode: "NULLABLE" })) },
    rows: rows.map((row) => ({ f: names.map((name) => ({ v: row[name] === null ? null : String(row[name]) })) })),
  };
}
