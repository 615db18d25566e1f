// The environment of each function: what the plan says, with addresses of this machine and secrets made up here.
// It must never take a secret from the shell, nor give two starts the same one.

import { randomBytes } from "node:crypto";
import { environmentNames, type FunctionName } from "../functions/config.ts";
import type { Plan } from "./plan.ts";
import { plannedUrl } from "./plan-resources.ts";

/**
 * Environment by function, once it is known where each function listens; `given` are secrets that are not made up, by full name,
 * and `moved` variables that mean something else on this machine, by their name.
 */
export function environmentsAt(
  plan: Plan,
  addresses: ReadonlyMap<FunctionName, string>,
  given: ReadonlyMap<string, string> = new Map(),
  moved: Readonly<Record<string, string>> = {},
): Map<FunctionName, Record<string, string>> {
  const urls = new Map(plan.functions.map(({ name, deployedName }) => [plannedUrl(deployedName), addresses.get(name)]));
  const secrets = new Map([...secretValues(plan), ...given]);
  return new Map(
    plan.functions.map((planned) => {
      const variables = Object.entries(planned.environment).map(([key, value]) => [
        key,
        isNameOfService(key) ? value : (moved[key] ?? urls.get(value) ?? value),
      ]);
      // A merchant on a laptop listens on the laptop.
      const origins = environmentNames.webhookHttpAllowed in planned.environment ? LAPTOP_ORIGINS : {};
      const mounted = Object.entries(planned.secrets).map(([key, secret]) => [key, secrets.get(secret)]);
      return [planned.name, { ...origins, ...Object.fromEntries([...variables, ...mounted]) }];
    }),
  );
}

/** An audience is the name of a service and not a way to it; so is the target of tasks, which the platform calls. */
function isNameOfService(key: string): boolean {
  return /_(?:AUDIENCE|TARGET)$/.test(key);
}

/** One value for each secret, so that all functions that mount it share it. */
function secretValues(plan: Plan): Map<string, string> {
  const names = new Set(plan.functions.flatMap(({ secrets }) => Object.values(secrets)));
  return new Map([...names].map((name) => [name, randomBytes(SECRET_BYTES).toString("hex")]));
}

/** 192 bits, and hexadecimal as bootstrap makes them: nobody guesses it, and it fits into a header and an API key. */
const SECRET_BYTES = 24;

/** Where webhooks may go beside public hosts: nowhere but to this machine. */
const LAPTOP_ORIGINS = { [environmentNames.webhookLoopback]: "http://127.0.0.1:*, http://localhost:*" };
