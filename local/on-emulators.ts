// Runs every planned function from its bundle, each in a process of its own, on Google's emulators.
// It must never reach a real project: every client gets an emulator's address, and no credentials of this user.

import { spannerAccounts } from "../functions/adapters/spanner-accounts.ts";
import { openSpanner } from "../functions/adapters/spanner-client.ts";
import { jsonLog } from "../functions/adapters/system.ts";
import type { FunctionName } from "../functions/config.ts";
import { buildBundles } from "./bundles.ts";
import { createDatabase } from "./emulated-database.ts";
import { type RunningEmulators, startEmulators } from "./emulators.ts";
import { environmentsAt } from "./environment.ts";
import { describeMissing, findEmulators } from "./find-emulators.ts";
import { type FunctionProcess, startFunction } from "./function-process.ts";
import type { Host } from "./host.ts";
import { freePortFrom } from "./listen.ts";
import { documentsOf, type Plan } from "./plan.ts";
import { synthesize } from "./synthesize.ts";

/** Starts everything; `port` is where payments-api should be, and `inspect` opens its process to a debugger. */
export async function startOnEmulators(options: { port: number; inspect: boolean }): Promise<Host> {
  const search = await findEmulators();
  const missing = describeMissing(search);
  if (missing !== "") throw new Error(`--emulators needs Google's emulators; ${missing}`);
  const [plan, emulators] = await Promise.all([synthesize(), startEmulators({ search }), buildBundles()]);
  const processes: FunctionProcess[] = [];
  const stop = async () => {
    await Promise.all(processes.map((running) => running.stop()));
    await emulators.stop();
  };
  try {
    // The client of this process, for keys, has to find the emulator too.
    Object.assign(process.env, emulators.environment);
    await createDatabase(plan.ledger);
    const { projectId, instance, database } = plan.ledger;
    const spanner = openSpanner({ projectId, instance, database }, jsonLog);
    const [addresses] = await Promise.all([
      startFunctions({ plan, emulators, processes, ...options }),
      wakeFirestore(plan, emulators),
    ]);
    return {
      addresses,
      accounts: spannerAccounts(spanner),
      lost: Promise.race(processes.map((running) => running.ended)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Asks for a document that is not there: the emulator's first answer takes seconds, and a request waits only 300 ms. */
async function wakeFirestore(plan: Plan, { firestoreHost }: RunningEmulators): Promise<void> {
  for (const planned of plan.functions) {
    const response = await fetch(`http://${firestoreHost}/v1/${documentsOf(planned)}/documents/wake/up`);
    await response.body?.cancel();
  }
}

/** Starts each function on a port of its own and waits until all answer; fills `processes` as it goes. */
async function startFunctions(setting: {
  plan: Plan;
  emulators: RunningEmulators;
  processes: FunctionProcess[];
  port: number;
  inspect: boolean;
}): Promise<Map<FunctionName, string>> {
  const { plan, emulators, processes } = setting;
  const ports = new Map<FunctionName, number>();
  for (const { name } of plan.functions) {
    ports.set(name, await freePortFrom(name === "payments-api" ? setting.port : undefined));
  }
  const addresses = new Map([...ports].map(([name, port]) => [name, `http://127.0.0.1:${port}`]));
  const environments = environmentsAt(plan, addresses);
  for (const { name } of plan.functions) {
    processes.push(
      startFunction({
        name,
        port: ports.get(name) ?? 0,
        inspect: setting.inspect && name === "payments-api",
        environment: { ...environments.get(name), ...emulators.environment },
      }),
    );
  }
  await Promise.all(processes.map((running) => running.ready));
  return addresses;
}
