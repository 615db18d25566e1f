// The schemas of answers in the form that OpenAPI 3.1 knows.
// It must never describe an object twice: what has a name is referred to.
import { type SchemaKind, schemas } from "../../functions/edge/schemas/answer-schemas.ts";
import type { Schema } from "../../functions/edge/schemas/json-schema.ts";

/** The part of JSON Schema 2020-12 that the document uses. */
export type OpenApiSchema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string | boolean | null;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly $ref?: string;
};

/** All named schemas, as components. */
export function components(): Record<string, OpenApiSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(schema, name)]));
}

/** A reference to a named schema. */
export function reference(kind: SchemaKind): OpenApiSchema {
  return { $ref: `#/components/schemas/${kind}` };
}

const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));

/** Objects are closed in the tests, so that no field slips in; clients must take fields that come later, so here they are open. */
function described(schema: Schema, own?: string): OpenApiSchema {
  const name = names.get(schema);
  if (name !== undefined && name !== own) return reference(name as SchemaKind);
  const { $ref, anyOf, items, properties, additionalProperties, ...scalars } = schema;
  if ($ref !== undefined) return reference($ref as SchemaKind);
  return {
    ...scalars,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => described(one)) }),
    ...(items === undefined ? {} : { items: described(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: described(additionalProperties) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, described(one)])) }),
  };
}
