// The plan of stage dev for tests of the laptop, with whatever a test takes out of the stacks or puts into them.
// It must never be a plan made by hand: it is read from really synthesized stacks.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { paymentsApp } from "../../infra/payments-app.ts";
import { readSettings } from "../../infra/settings.ts";
import { type Plan, readPlan } from "../../local/plan.ts";

/** Resources of the services stack by type and id. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes whatever was synthesized.
export type Resources = Record<string, Record<string, any>>;

/** The plan as synthesized with these variables, after `change` has had the resources of both stacks in its hands. */
export function planned(
  change: (services: Resources, data: Resources) => void = () => {},
  variables: Record<string, string> = {},
): Plan {
  const outdir = mkdtempSync(path.join(tmpdir(), "planned-"));
  try {
    paymentsApp(readSettings({ PROJECT_ID: "local-project", ...variables }, null), outdir).synth();
    const [services, data] = ["services", "data"].map((name) => path.join(outdir, "stacks", name, "cdk.tf.json"));
    const [servicesStack, dataStack] = [services, data].map((file) => JSON.parse(readFileSync(file ?? "", "utf8")));
    change(servicesStack.resource, dataStack.resource);
    writeFileSync(services ?? "", JSON.stringify(servicesStack));
    writeFileSync(data ?? "", JSON.stringify(dataStack));
    return readPlan(outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Takes one grant out of the stack: the one of this type whose id begins with the function's name. */
export function withoutGrant(type: string, functionName: string): (services: Resources) => void {
  return (services) => {
    const ids = Object.keys(services[type] ?? {}).filter((id) => id.startsWith(`${functionName}_`));
    expect(ids).toHaveLength(1);
    for (const id of ids) delete services[type]?.[id];
  };
}
