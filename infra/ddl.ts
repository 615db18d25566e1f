// Reads infra/schema.sql as the list of statements that the database is made from, for Terraform and for emulators alike.
// It must never let a comment or a line break reach a statement: Terraform replaces the database when a sent one changes.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The statements of the schema in order, each on one line, without comments and without the closing semicolon.
 * The list only ever grows at its end.
 */
export function readDdl(): string[] {
  return splitStatements(readFileSync(join(import.meta.dirname, "schema.sql"), "utf8"));
}

/** Splits SQL text into statements; quoted text is kept as it is, whatever it holds. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let statement = "";
  for (const [token] of `${sql};`.matchAll(tokens)) {
    if (token.startsWith("--")) continue;
    if (token === ";") {
      if (statement.trim() !== "") statements.push(statement.trim());
      statement = "";
    } else if (token.trim() !== "") statement += token;
    else if (!statement.endsWith(" ")) statement += " ";
  }
  return statements;
}

/** A comment, quoted text, white space, the end of a statement, or a piece of anything else. */
const tokens = /--[^\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|\s+|;|-|[^\s;'"`-]+/g;
