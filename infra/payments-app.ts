/**
 * The bill of materials: every stack of a stage, one line each.
 * It must never decide anything: sizes are in settings.ts, rights and resources in the stacks.
 */
import { App } from "cdktf";
import { DataStack } from "./data-stack.ts";
import { FoundationStack } from "./foundation-stack.ts";
import { MessagingStack } from "./messaging-stack.ts";
import { ObservabilityStack } from "./observability-stack.ts";
import { ServicesStack } from "./services-stack.ts";
import type { Settings } from "./settings.ts";

/** All stacks of a stage, not yet synthesized; `outdir` is where they will be written. */
export function paymentsApp(settings: Settings, outdir: string): App {
  const app = new App({ outdir });
  const foundation = new FoundationStack(app, "foundation", settings);
  const data = new DataStack(app, "data", settings);
  const messaging = new MessagingStack(app, "messaging", settings, data);
  const services = new ServicesStack(app, "services", settings, { foundation, data, messaging });
  const observability = new ObservabilityStack(app, "observability", settings, { data, messaging });
  // Said here and not left to references: what uses an API waits for it, even when it reads nothing of that stack.
  data.addDependency(foundation);
  messaging.addDependency(foundation);
  services.addDependency(foundation);
  services.addDependency(data);
  services.addDependency(messaging);
  // Last: what it watches is there, and what takes long has begun.
  observability.addDependency(services);
  return app;
}
