// A stack of its own around one construct, synthesized and read back, so that a construct is tested without the product.
// It must never leave its folder behind.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { TimeProvider } from "@cdktf/provider-time/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import { FunctionCaller } from "../../../infra/constructs/function-caller.ts";
import type { AgentProduct } from "../../../infra/constructs/service-agents.ts";
import { readSettings, type Settings } from "../../../infra/settings.ts";
import { readPlan, type SynthesizedStack } from "../synthesized.ts";

/** What `build` puts into an empty stack, as Terraform reads it. */
export function testStack(
  build: (stack: TerraformStack, settings: Settings) => void,
  variables: Record<string, string> = {},
): SynthesizedStack {
  const outdir = mkdtempSync(path.join(tmpdir(), "construct-"));
  try {
    const app = new App({ outdir });
    const stack = new TerraformStack(app, "test");
    new GoogleProvider(stack, "google", { project: "placeholder-project" });
    new TimeProvider(stack, "time");
    build(stack, readSettings(variables, null));
    app.synth();
    return (readPlan(outdir).stacks as unknown as { test: SynthesizedStack }).test;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Somebody who calls a service named `notification`. */
export function testCaller(stack: TerraformStack, settings: Settings, products: AgentProduct[]): FunctionCaller {
  const account = new ServiceAccount(stack, "account", { accountId: "notification-caller" });
  return new FunctionCaller(stack, "caller", { settings, account, service: "notification", products });
}
