// A small checker for the part of JSON Schema that the schemas of answers need, and typed builders for them.
// It must never pass over a keyword or a property it does not know: what is not described is a problem.

/** The subset of JSON Schema that `problemsOf` understands. */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "boolean" | "null";
  readonly enum?: readonly string[];
  readonly const?: string | boolean | null;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** For maps with free names; without it an object has exactly the described properties. */
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  /** Name of another schema, for objects that contain each other. */
  readonly $ref?: string;
}

/** What is wrong with a value, one line each with its path; empty when it is valid. */
export function problemsOf(
  value: unknown,
  schema: Schema,
  named: Readonly<Record<string, Schema>> = {},
  at = "$",
): string[] {
  if (schema.$ref !== undefined) {
    const target = named[schema.$ref];
    return target === undefined ? [`${at}: no schema ${schema.$ref}`] : problemsOf(value, target, named, at);
  }
  if (schema.anyOf !== undefined) return problemsOfBest(value, schema.anyOf, named, at);
  if (schema.type !== undefined && typeOf(value) !== schema.type)
    return [`${at}: ${typeOf(value)}, not ${schema.type}`];
  if (schema.const !== undefined && value !== schema.const) return [`${at}: ${value}, not ${schema.const}`];
  if (typeof value === "string") return problemsOfText(value, schema, at);
  if (typeof value === "number") {
    return schema.minimum !== undefined && value < schema.minimum ? [`${at}: ${value} is under ${schema.minimum}`] : [];
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, index) => problemsOf(item, items, named, `${at}[${index}]`));
  }
  return typeOf(value) === "object" ? problemsOfObject(value as Record<string, unknown>, schema, named, at) : [];
}

/** Names of the properties that a value of the type always has. */
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

/**
 * Schema of a type of the official client: the compiler demands every non-optional property of the type in `required`,
 * and takes only optional ones in `optional`.
 */
export function objectOf<T>(
  required: Record<RequiredKeys<T>, Schema>,
  optional: Partial<Record<Exclude<keyof T, RequiredKeys<T>>, Schema>> = {},
): Schema {
  return { type: "object", required: Object.keys(required), properties: { ...required, ...optional } as never };
}

/** The same schema, or null. */
export function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

function problemsOfText(value: string, schema: Schema, at: string): string[] {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at}: ${value} is none of ${schema.enum}`];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    return [`${at}: ${value} does not match ${schema.pattern}`];
  }
  return [];
}

function problemsOfObject(
  value: Record<string, unknown>,
  schema: Schema,
  named: Readonly<Record<string, Schema>>,
  at: string,
): string[] {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const inside = Object.entries(value).flatMap(([name, item]) => {
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const described = known ? schema.properties[name] : schema.additionalProperties;
    return described === undefined
      ? [`${at}.${name}: not described`]
      : problemsOf(item, described, named, `${at}.${name}`);
  });
  return [...missing.map((name) => `${at}.${name}: missing`), ...inside];
}

/** The problems under the alternative that fits best, so that a message names the one wrong field. */
function problemsOfBest(
  value: unknown,
  alternatives: readonly Schema[],
  named: Readonly<Record<string, Schema>>,
  at: string,
): string[] {
  const tried = alternatives.map((alternative) => problemsOf(value, alternative, named, at));
  const deepest = (problems: readonly string[]) => problems.filter((problem) => !problem.startsWith(`${at}:`)).length;
  if (tried.some((problems) => problems.length === 0)) return [];
  return tried.sort((one, other) => deepest(other) - deepest(one) || one.length - other.length)[0] ?? [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value;
}
