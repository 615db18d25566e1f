// Holds the views over log lines to fields and messages that functions really write, and to columns without content.
// It must never run SQL: the contract of the history does, on SQLite and on Google's emulator.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { historyViews } from "../../infra/history-views.ts";

const functions = path.join(import.meta.dirname, "..", "..", "functions");
const sources = readdirSync(functions, { recursive: true, encoding: "utf8" })
  // What reads the history is no proof that somebody writes it.
  .filter((name) => name.endsWith(".ts") && !/history|bigquery|dashboard|memory/.test(name))
  .map((name) => readFileSync(path.join(functions, name), "utf8"))
  .join("\n");

const names = {
  eventDeliveries: "deliveries",
  logEntries: "entries",
  servicePrefix: "anna-",
  view: (name: string) => name,
};
const views = historyViews(names);
const queryOf = (name: string) => views.find((view) => view.name === name)?.query ?? "";

describe("the views over log lines", () => {
  test("read only fields that some function writes", () => {
    const fields = [...queryOf("log_lines").matchAll(/\$\.jsonPayload\.(\w+)/g)].map(([, field = ""]) => field);

    expect(new Set(fields).size).toBeGreaterThan(20);
    // Logging puts the message there; the others stand in a call of the log, or in an object that is handed to one.
    const unwritten = [...new Set(fields)].filter(
      (field) => field !== "message" && !new RegExp(`\\b${field}\\b`).test(sources),
    );
    expect(unwritten).toEqual([]);
  });

  test("look for messages and outcomes of keys that functions write, letter by letter", () => {
    const sql = views.map(({ query }) => query).join("\n");
    const lines = [...sql.matchAll(/\bmessage = '([^']+)'|WHEN '((?:ledger|reconciliation) [^']+)'/g)];
    const outcomes = [...sql.matchAll(/key_outcome = '([^']+)'/g)];
    const words = [...lines, ...outcomes].map(([, one, other]) => one ?? other ?? "");

    expect(new Set(words).size).toBe(14);
    expect([...new Set(words)].filter((word) => !sources.includes(`"${word}"`))).toEqual([]);
  });

  test("show a service without the stage's prefix", () => {
    expect(queryOf("log_lines")).toContain("SUBSTR(JSON_VALUE(data, '$.resource.labels.service_name'), 6)");
  });
});

test("no view shows a body, a secret, or the client's own key", () => {
  for (const { query } of views)
    expect(query).not.toMatch(/client_secret|idempotency_key|SELECT \*|'\$\.data\.object'/);
});
