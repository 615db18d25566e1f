// First-deploy failures of topics, subscriptions, queues, BigQuery and alerts, as checks over a plan, each with the change
// that brings the failure back. Numbers are those of the project's list of failures; F52 is a field case.
// It must never look up a resource by its id: a check that does not find what it is about must fail.
import type { PlanGraph, PlanNode } from "./plan-graph.ts";
import type { Attributes, SynthesizedStack } from "./synthesized.ts";

/** One failure. */
export interface Failure {
  readonly title: string;
  /** What is wrong in the plan, in words with an address; empty when the cure is there. */
  problems(graph: PlanGraph): string[];
  /** Takes the cure out of the stacks. */
  break(stacks: Record<string, SynthesizedStack>): void;
}

/** The failures. */
export const messagingFailures: readonly Failure[] = [
  {
    title: "4: an agent is granted something before the product's first use made it",
    problems: (graph) =>
      needed(agentGrants(graph))
        .filter(
          (grant) =>
            !grant.type.includes("subscription") && !waited(graph, grant, ({ type }) => type === "google_pubsub_topic"),
        )
        .map(says("comes before the agent exists")),
    break: ({ messaging }) => dropDependencies(messaging, "google_pubsub_topic_iam_member"),
  },
  {
    title: "14: a queue cannot be made again, because a deleted queue's name is blocked for a week",
    problems: (graph) =>
      needed(graph.ofType("google_cloud_tasks_queue"))
        .filter(({ attributes }) => !/-g[1-9]\d*$/.test(attributes["name"]))
        .map(says("has no generation in its name")),
    break: ({ messaging }) =>
      change(messaging, "google_cloud_tasks_queue", (queue) => {
        queue["name"] = "webhook-fast";
      }),
  },
  {
    title: "27: messages are never buried, because Pub/Sub may not publish to the dead-letter topic",
    problems: (graph) =>
      needed(burying(graph))
        .filter(({ publishers }) => publishers === 0)
        .map(says("has no publisher")),
    break: ({ messaging }) => remove(messaging, "google_pubsub_topic_iam_member"),
  },
  {
    title: "27: messages are never buried, because Pub/Sub may not take them from the subscription",
    problems: (graph) =>
      needed(burying(graph))
        .filter(({ subscribers }) => subscribers === 0)
        .map(says("has no subscriber")),
    break: ({ messaging }) => remove(messaging, "google_pubsub_subscription_iam_member"),
  },
  {
    title: "F52: dead letters fall into the void, because nothing keeps them for the longest time",
    problems: (graph) =>
      needed(burying(graph))
        .filter(({ keepers }) => keepers === 0)
        .map(says("buries without a keeper")),
    break: ({ messaging }) =>
      change(messaging, "google_pubsub_subscription", (subscription) => {
        if (!("dead_letter_policy" in subscription)) subscription["message_retention_duration"] = "604800s";
      }),
  },
  {
    title:
      "F52: a message is buried after a moment, or a policy is refused, because attempts are not between 5 and 100",
    problems: (graph) =>
      needed(burying(graph))
        .filter(({ attempts }) => !(attempts >= 5 && attempts <= 100))
        .map(says("has attempts out of range")),
    break: ({ messaging }) =>
      change(messaging, "google_pubsub_subscription", ({ dead_letter_policy: policy }) => {
        if (policy) policy.max_delivery_attempts = 101;
      }),
  },
  {
    title: "28: the BigQuery subscription is refused, because its grants have not spread",
    problems: (graph) =>
      needed(graph.ofType("google_pubsub_subscription").filter(({ attributes }) => attributes["bigquery_config"]))
        .filter((node) =>
          ["roles/bigquery.dataEditor", "roles/bigquery.metadataViewer"].some(
            (role) => !waited(graph, node, (one) => isAgent(one) && one.attributes["role"] === role),
          ),
        )
        .map(says("does not wait for its grants")),
    break: ({ messaging }) => dropDependencies(messaging, "google_pubsub_subscription"),
  },
  {
    title: "29: a stage cannot be taken down, because a dataset holds tables or a table is protected",
    problems: (graph) => [
      ...needed(graph.ofType("google_bigquery_dataset"))
        .filter(({ attributes }) => attributes["delete_contents_on_destroy"] !== true)
        .map(says("keeps its contents")),
      ...needed(graph.ofType("google_bigquery_table"))
        .filter(({ attributes }) => attributes["deletion_protection"] !== false)
        .map(says("is protected")),
    ],
    break: ({ data }) => change(data, "google_bigquery_table", (table) => void delete table["deletion_protection"]),
  },
  {
    title: "29: a table goes before the view over it, because nothing says in which order they stand",
    problems: (graph) =>
      needed(graph.ofType("google_bigquery_table").filter(({ attributes }) => attributes["view"]))
        .filter((view) => !graph.before(view).some(({ type }) => type === "google_bigquery_table"))
        .map(says("does not stand after its table")),
    break: ({ data }) =>
      change(data, "google_bigquery_table", (table) => {
        delete table["depends_on"];
        if (table["view"]) table["view"].query = "SELECT * FROM payments.event_deliveries";
      }),
  },
  {
    title: "31: a subscription is gone after a quiet month",
    problems: (graph) =>
      needed(graph.ofType("google_pubsub_subscription"))
        .filter(({ attributes }) => attributes["expiration_policy"]?.ttl !== "")
        .map(says("expires")),
    break: ({ messaging }) =>
      change(messaging, "google_pubsub_subscription", (subscription) => void delete subscription["expiration_policy"]),
  },
  {
    title: "a view is read in the old dialect, which is the default",
    problems: (graph) =>
      needed(graph.ofType("google_bigquery_table").filter(({ attributes }) => attributes["view"]))
        .filter(({ attributes }) => attributes["view"].use_legacy_sql !== false)
        .map(says("is in legacy SQL")),
    break: ({ data }) => change(data, "google_bigquery_table", ({ view }) => void delete view?.use_legacy_sql),
  },
  {
    title: "the log sink writes nothing, because its own account may not",
    problems: (graph) =>
      needed(graph.ofType("google_logging_project_sink"))
        .filter(
          (sink) =>
            !graph
              .ofType("google_pubsub_topic_iam_member")
              .some(
                ({ stack, attributes }) =>
                  graph.origin(stack, attributes["member"])?.node === sink &&
                  attributes["role"] === "roles/pubsub.publisher" &&
                  sink.attributes["destination"].includes(attributes["topic"]),
              ),
        )
        .map(says("may not write")),
    break: ({ observability }) => remove(observability, "google_pubsub_topic_iam_member"),
  },
  {
    title: "an alert is refused, because Monitoring does not know the log's metric yet",
    problems: (graph) =>
      needed(alertsOnLogs(graph))
        .filter(({ policy, metric }) => !waited(graph, policy, (one) => one.attributes["name"] === metric))
        .map(({ policy, metric }) => `${policy.address} does not wait for ${metric}`),
    break: ({ observability }) => dropDependencies(observability, "google_monitoring_alert_policy"),
  },
];

/** A check about nothing would hold for ever. */
function needed<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length === 0) throw new Error("the plan has nothing that this check is about");
  return items;
}

const says = (what: string) => (node: PlanNode | { readonly subscription: PlanNode }) =>
  `${("subscription" in node ? node.subscription : node).address} ${what}`;

const isAgent = ({ type, attributes }: PlanNode) =>
  type.endsWith("_iam_member") && String(attributes["member"]).includes("@gcp-sa-pubsub.");
const agentGrants = (graph: PlanGraph) => graph.nodes.filter(isAgent);

/** True when a wait, of its own stack or an earlier one, stands between the node and something that is meant. */
function waited(graph: PlanGraph, node: PlanNode, isMeant: (one: PlanNode) => boolean): boolean {
  const waits = graph.before(node).filter(({ type }) => type === "time_sleep");
  return waits.some((sleep) => graph.before(sleep).some(isMeant));
}

/** Subscriptions that bury, with how many of each thing a burial needs. */
function burying(graph: PlanGraph) {
  const subscriptions = graph.ofType("google_pubsub_subscription");
  return subscriptions
    .filter(({ attributes }) => attributes["dead_letter_policy"])
    .map((subscription) => {
      const { dead_letter_topic, max_delivery_attempts } = subscription.attributes["dead_letter_policy"];
      const topic = graph.origin(subscription.stack, dead_letter_topic)?.node;
      const grants = (target: string, node: PlanNode | undefined, role: string) =>
        agentGrants(graph).filter(
          (one) => graph.origin(one.stack, one.attributes[target])?.node === node && one.attributes["role"] === role,
        ).length;
      const keepers = subscriptions.filter(
        ({ stack, attributes }) =>
          graph.origin(stack, attributes["topic"])?.node === topic &&
          attributes["message_retention_duration"] === "2678400s" &&
          attributes["push_config"] === undefined,
      ).length;
      return {
        subscription,
        keepers,
        attempts: max_delivery_attempts as number,
        publishers: grants("topic", topic, "roles/pubsub.publisher"),
        subscribers: grants("subscription", subscription, "roles/pubsub.subscriber"),
      };
    });
}

/** Alerts with each metric of a log that they name. */
function alertsOnLogs(graph: PlanGraph): { policy: PlanNode; metric: string }[] {
  return graph
    .ofType("google_monitoring_alert_policy")
    .flatMap((policy) =>
      [...JSON.stringify(policy.attributes["conditions"]).matchAll(/logging\.googleapis\.com\/user\/([\w-]+)/g)].map(
        ([, metric = ""]) => ({ policy, metric }),
      ),
    );
}

function change(stack: SynthesizedStack | undefined, type: string, how: (attributes: Attributes) => void): void {
  for (const attributes of Object.values(stack?.resource[type] ?? {})) how(attributes);
}

function remove(stack: SynthesizedStack | undefined, type: string): void {
  delete stack?.resource[type];
}

function dropDependencies(stack: SynthesizedStack | undefined, type: string): void {
  change(stack, type, (attributes) => void delete attributes["depends_on"]);
}
