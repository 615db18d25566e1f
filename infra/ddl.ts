// Reads infra/schema.sql and the migrations after it as the list of statements that the database is made from, for
// Terraform and for emulators alike.
// It must never let a comment or a line break reach a statement: Terraform replaces the database when a sent one changes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The statements in order, each on one line, without comments and without the closing semicolon: those of `schema.sql`,
 * then those of `migrations/*.sql` by the files' names. The list only ever grows at its end.
 */
export function readDdl(folder: string = import.meta.dirname): string[] {
  const migrations = join(folder, "migrations");
  const files = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  const paths = [join(folder, "schema.sql"), ...files.sort().map((name) => join(migrations, name))];
  return paths.flatMap((path) => splitStatements(readFileSync(path, "utf8")));
}

/** What `migrations/released.txt` says: one line for each statement that a database may have been made from. */
export function readReleased(folder: string = import.meta.dirname): string[] {
  const text = readFileSync(join(folder, "migrations", "released.txt"), "utf8");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** The line that stands for a statement: its SHA-256, and its beginning for people. */
export function releaseLine(statement: string): string {
  return `${createHash("sha256").update(statement).digest("hex")}  ${statement.slice(0, BEGINNING).trim()}`;
}

/** Enough of a statement to see what it is about. */
const BEGINNING = 60;

/**
 * What is wrong with a list of statements, in one sentence; undefined when it begins with all that were released. A
 * database that was made from other statements would be destroyed and made again, empty.
 */
export function releaseBreach(ddl: readonly string[], released: readonly string[]): string | undefined {
  const index = released.findIndex((line, position) => line !== releaseLine(ddl[position] ?? ""));
  if (index === -1) return undefined;
  return `Statement ${index + 1} was released as "${released[index]?.slice(66)}…" and now is "${ddl[index]?.slice(0, BEGINNING) ?? "gone"}…": put it back, and add a migration.`;
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
