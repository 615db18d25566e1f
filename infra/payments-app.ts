/**
 * The bill of materials: every stack of a stage, one line each.
 * It must never decide anything: sizes are in settings.ts, rights and resources in the stacks.
 */
import { App } from "cdktf";
import { DataStack } from "./data-stack.ts";
import { ServicesStack } from "./services-stack.ts";
import type { Settings } from "./settings.ts";

/** All stacks of a stage, not yet synthesized; `outdir` is where they will be written. */
export function paymentsApp(settings: Settings, outdir: string): App {
  const app = new App({ outdir });
  const data = new DataStack(app, "data", settings);
  new ServicesStack(app, "services", settings, data);
  return app;
}
