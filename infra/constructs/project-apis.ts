/**
 * The APIs of the project, and the wait after which they can be relied on.
 * It must never turn one off: somebody else in the project may use it.
 */
import { ProjectService } from "@cdktf/provider-google/lib/project-service/index.js";
import { Sleep } from "@cdktf/provider-time/lib/sleep/index.js";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";

/** The APIs with these full names, for example `run.googleapis.com`. */
export class ProjectApis extends Construct {
  /** Whatever uses one of them depends on this. */
  readonly areReady: Sleep;

  constructor(scope: Construct, id: string, settings: Settings, services: readonly string[]) {
    super(scope, id);
    const enabled = services.map(
      (service) =>
        new ProjectService(this, service.split(".")[0] ?? service, {
          project: settings.projectId,
          service,
          // By default destroying a stage would turn the API off for everybody in the project.
          disableOnDestroy: false,
          disableDependentServices: false,
        }),
    );
    this.areReady = new Sleep(this, "are-ready", {
      createDuration: PROPAGATION,
      // An API that is added later waits again.
      triggers: { services: services.join(" ") },
      dependsOn: enabled,
    });
  }
}

/** Turning an API on returns before all of Google believes it; two minutes are the longest that people report. */
const PROPAGATION = "120s";
