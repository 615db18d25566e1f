/**
 * What carries events and work: the topic with its dead letters, its archive in BigQuery, and the queues.
 * It must never know a function: who consumes is declared beside the consumer, in the services stack, which comes later.
 */
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TimeProvider } from "@cdktf/provider-time/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { BigqueryArchive } from "./constructs/bigquery-archive.ts";
import { EventTopic } from "./constructs/event-topic.ts";
import { type RetryNumbers, TaskQueue, type TaskQueueProperties } from "./constructs/task-queue.ts";
import type { DataStack } from "./data-stack.ts";
import type { Settings } from "./settings.ts";
import { stateBackend } from "./state-backend.ts";

/** Topic, archive, queues. */
export class MessagingStack extends TerraformStack {
  /** What happened to payments; consumers subscribe to it. */
  readonly events: EventTopic;
  /** The functions' log lines on their way into BigQuery; a sink of the observability stack fills it. */
  readonly logs: EventTopic;
  readonly queues: {
    /** First attempts, to endpoints that answered in time so far; one queue for each shard. */
    readonly webhookFast: readonly TaskQueue[];
    /** Retries, and endpoints that let a call hang; likewise. */
    readonly webhookSlow: readonly TaskQueue[];
    /** Asynchronous payments that come due. */
    readonly settlements: TaskQueue;
  };

  constructor(scope: Construct, id: string, settings: Settings, data: DataStack) {
    super(scope, id);
    stateBackend(this, id, settings);
    new GoogleProvider(this, "google", { project: settings.projectId, region: settings.region });
    new TimeProvider(this, "time");

    this.events = new EventTopic(this, "payment-events", settings);

    new BigqueryArchive(this, "bigquery", { settings, topic: this.events, table: data.warehouse.eventDeliveries });

    this.logs = new EventTopic(this, "payment-logs", settings);
    new BigqueryArchive(this.logs, "bigquery", { settings, topic: this.logs, table: data.warehouse.logEntries });

    this.queues = {
      webhookFast: this.shards(settings, "webhook-fast", {
        // The most that one queue can start.
        dispatchesPerSecondMax: 500,
        // A healthy endpoint answers in a few hundred milliseconds, so a hundred calls in flight are hundreds a second.
        concurrentMax: 100,
        retry: UNTIL_THE_WINDOW_ENDS,
      }),
      webhookSlow: this.shards(settings, "webhook-slow", {
        // Retries are hours apart; a tenth of the fast queue drains a day of them without starving first attempts.
        dispatchesPerSecondMax: 50,
        // Each may hang until its timeout, so this queue alone decides how many slots hanging merchants can hold.
        concurrentMax: 100,
        retry: UNTIL_THE_WINDOW_ENDS,
      }),
      settlements: new TaskQueue(this, "settlements", {
        settings,
        // Each one is a call to the acquirer and two transactions; the ledger's smallest size commits some 350 a second.
        dispatchesPerSecondMax: 100,
        concurrentMax: 20,
        retry: UNTIL_THE_SWEEP,
      }),
    };
  }

  /** The first shard has the plain name, so that a second one leaves it, and the tasks in it, where they are. */
  private shards(settings: Settings, name: string, how: Omit<TaskQueueProperties, "settings">): TaskQueue[] {
    return Array.from(
      { length: settings.webhookQueueShards },
      (_, index) => new TaskQueue(this, index === 0 ? name : `${name}-${index + 1}`, { settings, ...how }),
    );
  }
}

/**
 * For a dispatcher that failed, not for a merchant who did: the dispatcher answers 2xx for every attempt it could record,
 * and the next attempt is a task of its own. Waits of 10 s, 20 s, 40 s … double eleven times to 5 h 41 min 20 s, then stay
 * at 8 h: 20 attempts, the last one after 67.4 h, inside the three days in which an event may be delivered.
 */
const UNTIL_THE_WINDOW_ENDS: RetryNumbers = {
  attemptsMax: 20,
  backoffSecondsMin: 10,
  backoffSecondsMax: 28_800,
  doublings: 11,
};

/**
 * A task is only a hint here: what is due is a row, and a sweep takes it each minute. Waits of 5, 10, 20 and 40 s, five
 * attempts in 75 s, and then the sweep has it.
 */
const UNTIL_THE_SWEEP: RetryNumbers = { attemptsMax: 5, backoffSecondsMin: 5, backoffSecondsMax: 60, doublings: 4 };
