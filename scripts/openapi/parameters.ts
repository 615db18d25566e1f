// What an endpoint takes, learnt from its own readers: they are asked with every parameter, and their refusals say the type.
// It must never describe a parameter that the readers did not ask for, nor run a flow: reading ends before one begins.
import { DomainError } from "../../functions/domain/errors.ts";
import type { Call, EndpointDependencies, Serve } from "../../functions/edge/endpoint.ts";
import { bracketName, type Parameter, type ParameterMap } from "../../functions/edge/parameter-tree.ts";
import type { OpenApiSchema } from "./schema.ts";

/** The parameters of an endpoint as an object; undefined when it takes none. */
export async function parametersOf(serve: Serve): Promise<OpenApiSchema | undefined> {
  const { schema } = await fieldsOf((map) => read(serve, map), []);
  return Object.keys(schema.properties ?? {}).length === 0 ? undefined : schema;
}

/** Reads parameters; gives the refusal, or undefined. */
type Ask = (parameters: ParameterMap) => Promise<DomainError | undefined>;

/** A map that remembers the names that were asked for, which are the declared ones in their order. */
class Recording extends Map<string, Parameter> {
  readonly asked = new Set<string>();
  override get(name: string): Parameter | undefined {
    this.asked.add(name);
    return super.get(name);
  }
}

/** No text that any reader of numbers, words, ids or URLs takes. */
const strange = "☃";

/** Values that some reader takes, for parameters that must be there before the next one is read. */
const candidates = ["1000", "usd", "pm_card_visa", "pi_1", "https://merchant.example/hook", "shop@merchant.example"];

/** The declared fields, and what a reader takes in their place. */
type Known = { readonly schema: OpenApiSchema; readonly accepted: ReadonlyMap<string, Parameter> };

async function fieldsOf(ask: Ask, path: readonly string[]): Promise<Known> {
  const accepted = new Map<string, Parameter>();
  const required: string[] = [];
  for (;;) {
    const recording = new Recording(accepted);
    const refusal = await ask(recording);
    const last = [...recording.asked].at(-1) ?? "";
    const at = [...path, last];
    if (refusal?.code === "parameter_missing" && refusal.param === bracketName(at) && !accepted.has(last)) {
      required.push(last);
      accepted.set(last, await acceptable(ask, accepted, at));
      continue;
    }
    const properties: Record<string, OpenApiSchema> = {};
    for (const name of recording.asked) {
      const askOne: Ask = (parameter) => ask(new Map([...accepted, [name, parameter as never]]));
      properties[name] = await fieldOf(askOne as never, [...path, name]);
    }
    const needed = required.length === 0 ? {} : { required };
    return { schema: { type: "object", properties, ...needed, additionalProperties: false }, accepted };
  }
}

/** What one parameter may be. */
async function fieldOf(
  ask: (parameter: Parameter) => Promise<DomainError | undefined>,
  path: readonly string[],
): Promise<OpenApiSchema> {
  const said = saidOf(await ask(strange), path);
  if (/must be an object of strings/.test(said)) return { type: "object", additionalProperties: { type: "string" } };
  if (/must be an object/.test(said)) return (await fieldsOf(ask as Ask, path)).schema;
  if (/must be a list/.test(said)) {
    const items = await fieldOf((entry) => ask(new Map([["0", entry]])), [...path, "0"]);
    return { type: "array", items };
  }
  const words = /must be one of ([\w., ]+?)\.?$/.exec(said)?.[1]?.split(/, | or /);
  if (words?.join() === "true,false") return { type: "boolean" };
  if (words !== undefined) return { type: "string", enum: words };
  if (/must be an integer/.test(said)) {
    const [least, most] = [boundOf(await ask("0"), path), boundOf(await ask("9".repeat(30)), path)];
    const bounds = {
      ...(least === undefined ? { minimum: 0 } : { minimum: least }),
      ...(most === undefined ? {} : { maximum: most }),
    };
    const number: OpenApiSchema = { type: "integer", ...bounds };
    const nested = (await fieldsOf(ask as Ask, path)).schema;
    return Object.keys(nested.properties ?? {}).length === 0 ? number : { anyOf: [number, nested] };
  }
  if (/absolute http/.test(said)) return { type: "string", format: "uri" };
  const longest = boundOf(await ask("a".repeat(30_000)), path);
  return { type: "string", ...(longest === undefined ? {} : { maxLength: longest }) };
}

/** The sentence about this very parameter; empty when it was accepted, or something else was refused. */
function saidOf(refusal: DomainError | undefined, path: readonly string[]): string {
  return refusal?.param === bracketName(path) ? refusal.message : "";
}

function boundOf(refusal: DomainError | undefined, path: readonly string[]): number | undefined {
  const bound = /at (?:least|most) (\d+)/.exec(saidOf(refusal, path))?.[1];
  return bound === undefined ? undefined : Number(bound);
}

async function acceptable(
  ask: Ask,
  accepted: ReadonlyMap<string, Parameter>,
  at: readonly string[],
): Promise<Parameter> {
  const name = at.at(-1) ?? "";
  const said = saidOf(await ask(new Map([...accepted, [name, strange]])), at);
  if (/must be an object/.test(said))
    return (await fieldsOf((inner) => ask(new Map([...accepted, [name, inner]])), at)).accepted;
  const words = /must be one of ([\w., ]+?)\.?$/.exec(said);
  const lists = [...candidates, "payment_intent.succeeded"].map((value) => new Map([["0", value]]));
  for (const value of [...(words?.[1]?.split(/, | or /) ?? []), ...candidates, ...lists]) {
    const refusal = await ask(new Map([...accepted, [name, value]]));
    if (!refusal?.param?.startsWith(bracketName(at))) return value;
  }
  throw new Error(`No candidate is taken as ${bracketName(at)}: add one to scripts/openapi/parameters.ts.`);
}

/** Runs an endpoint up to the end of its reading: whatever it asks of a store stops it. */
async function read(serve: Serve, parameters: ParameterMap): Promise<DomainError | undefined> {
  const call = { accountId: "acct_1", id: "pi_1", parameters, baseUrl: "https://payments.example" } as Call;
  try {
    if (serve.kind === "write") serve.write(call);
    else await serve.read(nothingBehind as EndpointDependencies, call);
  } catch (error) {
    if (error instanceof DomainError) return error;
    if (!(error instanceof Reached)) throw error;
  }
  return undefined;
}

/** Reading is over. */
class Reached extends Error {}

/** Any member of any dependency may be looked at, and none may be called. */
const nothingBehind: unknown = new Proxy(() => {}, {
  get: () => nothingBehind,
  apply: () => {
    throw new Reached();
  },
});
