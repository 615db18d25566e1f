// Holds what the API answered against the schemas of its answers.
// It must never accept a kind of object that has no schema.
import { type SchemaKind, schemas } from "../../functions/edge/schemas/answer-schemas.ts";
import { problemsOf } from "../../functions/edge/schemas/json-schema.ts";

/** Fails the test unless the value is a valid object of this kind; takes what `JSON.parse` gives. */
export function expectValid(kind: SchemaKind, value: unknown): void {
  expect(schemaProblems(kind, value)).toEqual([]);
}

/** Fails the test unless a body of the API is valid for what it says it is; an error by its `error` key. */
export function expectValidAnswer(body: { readonly error?: unknown; readonly object?: unknown }): void {
  const kind = body.error === undefined ? body.object : "error";
  expect(Object.keys(schemas)).toContain(kind);
  expectValid(kind as SchemaKind, body);
}

/** What is wrong with a value of this kind, one line each. */
export function schemaProblems(kind: SchemaKind, value: unknown): string[] {
  return problemsOf(value, schemas[kind], schemas);
}
