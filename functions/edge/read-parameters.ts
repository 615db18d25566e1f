/**
 * Turns a tree of parameters into the typed values an endpoint declares, or into the contract's error for the first bad one.
 * It must never let a parameter pass that the endpoint did not declare: a misspelt one would be ignored in silence.
 */
import { refuse } from "../domain/errors.ts";
import { bracketName, invalid, type Parameter, type ParameterMap, shownName } from "./parameter-tree.ts";

/** Turns one parameter that was sent into its value; `path` names it in errors. */
export type Reader<Value> = (parameter: Parameter, path: Path) => Value;

/** Where a parameter stands: `["shipping", "name"]` is `shipping[name]`. */
export type Path = readonly string[];

/** One declared parameter: how it is read, and what its absence means. */
export interface Field<Value> {
  readonly read: Reader<Value>;
  readonly absent: (path: Path) => Value;
}

/** The parameters an endpoint, or a nested object, declares. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The typed values of declared parameters. */
export type Values<Declared extends Fields> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Field<infer Value> ? Value : never;
};

/**
 * Reads the declared parameters. What is not declared is refused first, in the order it was sent; then the fields are read
 * in the order they were declared, and the first one in error ends it (contract section 4).
 * Raises `parameter_unknown`, `parameter_missing` and whatever the readers raise, each naming its parameter with brackets.
 */
export function readParameters<Declared extends Fields>(
  parameters: ParameterMap,
  declared: Declared,
): Values<Declared> {
  return readFields(parameters, declared, []);
}

/** A parameter that must be sent. Raises `parameter_missing`. */
export function required<Value>(read: Reader<Value>): Field<Value> {
  return {
    read,
    absent(path) {
      const name = bracketName(path);
      throw refuse("parameter_missing", `Missing required param: ${name}.`, { param: name });
    },
  };
}

/** A parameter that may be left out; undefined then. */
export function optional<Value>(read: Reader<Value>): Field<Value | undefined> {
  return { read, absent: () => undefined };
}

/** A parameter that has a value also when it is left out. */
export function withDefault<Value>(read: Reader<Value>, value: Value): Field<Value> {
  return { read, absent: () => value };
}

/** The same parameter, but sent empty it unsets its field (`description=`): null then (contract section 2). */
export function clearable<Value>(read: Reader<Value>): Reader<Value | null> {
  return (parameter, path) => (parameter === "" ? null : read(parameter, path));
}

/** Named parameters inside one, such as `shipping[name]`. Raises `parameter_invalid` when it is a text. */
export function object<Declared extends Fields>(declared: Declared): Reader<Values<Declared>> {
  return (parameter, path) => {
    if (parameter === "") throw refuseEmpty(path);
    if (typeof parameter === "string") throw invalid(path, "must be an object");
    return readFields(parameter, declared, path);
  };
}

/** `parameter_invalid_empty` for a parameter that was sent without a value and cannot be unset. */
export function refuseEmpty(path: Path) {
  const name = shownName(bracketName(path));
  const message = `You passed an empty string for '${name}'. Give it a value, or leave the parameter out.`;
  return refuse("parameter_invalid_empty", message, { param: name });
}

function readFields<Declared extends Fields>(map: ParameterMap, declared: Declared, path: Path): Values<Declared> {
  for (const name of map.keys()) if (!Object.hasOwn(declared, name)) throw refuseUnknown([...path, name]);
  const values = Object.entries(declared).map(([name, field]) => {
    const parameter = map.get(name);
    const inner = [...path, name];
    return [name, parameter === undefined ? field.absent(inner) : field.read(parameter, inner)] as const;
  });
  // The keys are those of `declared` and each value came from its field, which is what the type says.
  return Object.fromEntries(values) as Values<Declared>;
}

function refuseUnknown(path: Path) {
  const name = shownName(bracketName(path));
  return refuse("parameter_unknown", `Received unknown parameter: ${name}`, { param: name });
}
