// The OpenAPI 3.1 document of what payments-api serves, from its routes, its readers and the schemas of its answers.
// It must never hold what none of these say, except the words for people in operations.ts.
import { type Route, routes } from "../../functions/edge/payments-routes.ts";
import { operations } from "./operations.ts";
import { parametersOf } from "./parameters.ts";
import { components, type OpenApiSchema, reference } from "./schema.ts";

/** The whole document. */
export async function openApiDocument(): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: await operationOf(route, path) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Idempotent payments",
      version: "2026-10-28.endive",
      description:
        "Stripe's wire contract for Payment Intents, Refunds, Charges, Events, Balance and Webhook Endpoints; a repeated request with its Idempotency-Key gets the first answer. Written by `npm run openapi`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:4242", description: "The laptop: npm start" }],
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: {
      schemas: components(),
      headers: answerHeaders,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The API key." },
        basic: { type: "http", scheme: "basic", description: "The API key as the user's name, and no password." },
      },
    },
  };
}

/** `/v1/refunds/{id}` of a route's expression. */
export function pathOf({ path }: Route): string {
  return path.source
    .replace(/^\^|\$$/g, "")
    .replaceAll("\\/", "/")
    .replaceAll("([^/]+)", "{id}");
}

async function operationOf(route: Route, path: string): Promise<object> {
  const operation = operations[`${route.method} ${path}`];
  if (operation === undefined) throw new Error(`scripts/openapi/operations.ts has no ${route.method} ${path}`);
  const schema = await parametersOf(route.serve);
  const isPost = route.method === "POST";
  const content = (body: OpenApiSchema) => ({ "application/json": { schema: body } });
  return {
    operationId: operation.id,
    summary: operation.says,
    parameters: [
      ...(path.includes("{id}") ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : []),
      ...(route.serve.kind === "write" && isPost ? requestHeaders : []),
      ...(isPost ? [] : queryOf(schema)),
    ],
    ...(isPost && schema !== undefined
      ? {
          requestBody: {
            required: schema.required !== undefined,
            content: {
              "application/x-www-form-urlencoded": { schema, encoding: encodingOf(schema) },
              "application/json": { schema },
            },
          },
        }
      : {}),
    responses: {
      "200": { description: operation.says, headers: headersOf(isPost), content: content(answerOf(operation)) },
      ...(isPost
        ? {
            "402": {
              description: "The card was declined; final for its key.",
              headers: headersOf(true),
              content: content(reference("error")),
            },
          }
        : {}),
      "4XX": {
        description: "The request was refused.",
        headers: headersOf(isPost),
        content: content(reference("error")),
      },
      "5XX": {
        description: "Nothing was decided; repeat it with the same key.",
        headers: headersOf(false),
        content: content(reference("error")),
      },
    },
  };
}

function answerOf({ answers, of }: (typeof operations)[string]): OpenApiSchema {
  if (of === undefined) return reference(answers);
  const data: OpenApiSchema = { type: "array", items: reference(of) };
  return { anyOf: [{ ...reference("list"), properties: { data } }] };
}

/** Lists as `expand[]=…`, objects as `created[gte]=…`. */
function queryOf(schema: OpenApiSchema | undefined): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, one]) => ({
    name: one.type === "array" ? `${name}[]` : name,
    in: "query",
    required: schema?.required?.includes(name) ?? false,
    ...(one.type === "object" || one.anyOf !== undefined ? { style: "deepObject", explode: true } : {}),
    schema: one,
  }));
}

function encodingOf(schema: OpenApiSchema): object {
  const nested = Object.entries(schema.properties ?? {}).filter(
    ([, { type }]) => type === "object" || type === "array",
  );
  return Object.fromEntries(nested.map(([name]) => [name, { style: "deepObject", explode: true }]));
}

const requestHeaders = [
  {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Names this request: each repetition gets the first answer for 24 hours. Without it each request executes.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  {
    name: "Prefer",
    in: "header",
    description: "wait=N: seconds that a repetition waits for the first answer; 5 when not said.",
    schema: { type: "string", pattern: "^wait=([0-9]|10)$" },
  },
];

const answerHeaders = {
  "Request-Id": { description: "Names this request in logs.", schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "true on an answer that was given before.",
    schema: { type: "string", const: "true" },
  },
  "Original-Request": { description: "The request whose answer this is.", schema: { type: "string" } },
  "Stripe-Should-Retry": {
    description: "Whether to repeat the request with its key.",
    schema: { type: "string", enum: ["true", "false"] },
  },
};

function headersOf(isKeyed: boolean): object {
  const names = isKeyed ? Object.keys(answerHeaders) : ["Request-Id", "Stripe-Should-Retry"];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
