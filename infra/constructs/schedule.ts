/**
 * A call that Cloud Scheduler makes again and again, with a signed token.
 * It must never retry: the next call comes soon enough, and two of them at once would do the same work.
 */
import { CloudSchedulerJob } from "@cdktf/provider-google/lib/cloud-scheduler-job/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";
import type { FunctionCaller } from "./function-caller.ts";
import type { PaymentFunction } from "./payment-function.ts";

/** What a schedule is. */
export interface ScheduleProperties {
  readonly settings: Settings;
  readonly description: string;
  /** In cron's five fields, in UTC. */
  readonly every: string;
  readonly calls: PaymentFunction;
  /** With the leading slash. */
  readonly path: string;
  /** Whom the token names, and who may call; the function refuses everybody else. */
  readonly as: FunctionCaller;
  /** How long Cloud Scheduler waits for the answer, 15 to 1800: the function's own timeout. */
  readonly deadlineSeconds: number;
}

/** The job. */
export class Schedule extends Construct {
  constructor(scope: Construct, id: string, properties: ScheduleProperties) {
    super(scope, id);
    const { settings, calls, as } = properties;
    new CloudSchedulerJob(this, "job", {
      project: settings.projectId,
      region: settings.region,
      name: named(settings, id),
      description: properties.description,
      schedule: properties.every,
      timeZone: "Etc/UTC",
      attemptDeadline: `${properties.deadlineSeconds}s`,
      retryConfig: { retryCount: 0 },
      httpTarget: {
        httpMethod: "POST",
        uri: `${calls.url}${properties.path}`,
        // By default the audience is the whole URI with its path, which Cloud Run refuses.
        oidcToken: { serviceAccountEmail: as.account.email, audience: calls.url },
      },
      dependsOn: [...as.grants],
    });
  }
}
