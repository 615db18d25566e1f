// Failures of a fresh project: what is used before it is there.
// It must never look at names or files, only at what Terraform makes before what.
import { apiOf } from "../api-of-resource.ts";
import type { PlanGraph, PlanNode } from "../plan-graph.ts";
import { type FailureRow, first, granteeOf, grants, waitsFor, wrong } from "./failure-row.ts";

const isForPubsub = ({ attributes }: PlanNode) => String(attributes["member"]).includes("@gcp-sa-pubsub.");

/** In the order of their numbers. */
export const orderingRows: readonly FailureRow[] = [
  {
    failure: "1",
    title: "nothing starts before its API has been on for a minute",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(
        graph.nodes.filter(({ type }) => apiOf(type) !== undefined),
        (node) => waitsFor(graph, node, 60, ({ attributes }) => attributes["service"] === apiOf(node.type)),
      ),
    takeOut: ({ plan }) => {
      plan.dependencies["data"] = [];
    },
  },
  {
    failure: "2",
    title: "destroying a stage turns no API off",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType("google_project_service"), ({ attributes }) => attributes["disable_on_destroy"] === false),
    takeOut: ({ graph }) => {
      delete first(graph, "google_project_service").attributes["disable_on_destroy"];
    },
  },
  {
    failure: "3",
    title: "an account is granted something only after Google had time to hear of it",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(
        grants(graph).filter((grant) => granteeOf(graph, grant)?.type === "google_service_account"),
        (grant) => waitsFor(graph, grant, 30, (one) => one === granteeOf(graph, grant)),
      ),
    takeOut: ({ graph }) => {
      first(graph, "google_project_iam_member", ({ stack }) => stack === "foundation").attributes["depends_on"] = [];
    },
  },
  {
    failure: "4",
    title: "Pub/Sub's own account is granted something only after a topic made it appear",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(grants(graph).filter(isForPubsub), (grant) =>
        waitsFor(graph, grant, 30, ({ type }) => type === "google_pubsub_topic"),
      ),
    takeOut: ({ graph }) => {
      first(graph, "google_bigquery_table_iam_member").attributes["depends_on"] = [];
    },
  },
  {
    failure: "5",
    title: "no function is built before its builder's rights have spread",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType("google_cloudfunctions2_function"), (node) => {
        const builder = graph.origin(node.stack, node.attributes["build_config"].service_account)?.node;
        const rights = grants(graph).filter((grant) => granteeOf(graph, grant) === builder);
        return rights.length > 0 && rights.every((right) => waitsFor(graph, node, 60, (one) => one === right));
      }),
    takeOut: ({ graph }) => {
      for (const { attributes } of graph.ofType("time_sleep")) attributes["create_duration"] = "1s";
    },
  },
  {
    failure: "32",
    title: "a stack that reads another one's outputs is deployed after it",
    stage: "dev",
    complaints: ({ plan }) =>
      Object.entries(plan.stacks).flatMap(([name, { data }]) =>
        Object.keys(data?.["terraform_remote_state"] ?? {})
          .map((id) => id.replace("cross-stack-reference-input-", ""))
          .filter((producer) => !plan.dependencies[name]?.includes(producer))
          .map((producer) => `${name} reads ${producer}`),
      ),
    takeOut: ({ plan }) => {
      plan.dependencies["services"] = [];
    },
  },
  {
    failure: "F53",
    title:
      "a project in which APIs work two minutes late, and Pub/Sub's account a minute after its first topic, is deployed at once",
    stage: "dev",
    complaints: ({ graph }) => {
      const clock = simulatedClock(graph);
      const usableAt = (api: string | undefined) =>
        Math.min(
          ...graph
            .ofType("google_project_service")
            .filter(({ attributes }) => attributes["service"] === api)
            .map((node) => clock(node) + 120),
        );
      const agentAt = Math.min(...graph.ofType("google_pubsub_topic").map((topic) => clock(topic) + 60));
      return [
        ...wrong(
          graph.nodes.filter(({ type }) => apiOf(type) !== undefined),
          (node) => clock(node) >= usableAt(apiOf(node.type)),
        ),
        ...wrong(grants(graph).filter(isForPubsub), (grant) => clock(grant) >= agentAt),
        ...grants(graph).flatMap(({ address, attributes }) => (attributes["member"] === "allUsers" ? [address] : [])),
      ];
    },
    takeOut: ({ graph }) => {
      first(graph, "time_sleep", ({ address }) => address.includes("apis_are-ready")).attributes["create_duration"] =
        "90s";
    },
  },
];

/** When each node starts, in seconds, if nothing but waits takes time: the worst case for whoever needs an earlier one. */
function simulatedClock(graph: PlanGraph): (node: PlanNode) => number {
  const known = new Map<PlanNode, number>();
  const lasts = ({ type, attributes }: PlanNode) =>
    type === "time_sleep" ? Number.parseInt(attributes["create_duration"], 10) : 0;
  const startOf = (node: PlanNode): number => {
    const start = known.get(node) ?? Math.max(0, ...graph.before(node).map((one) => startOf(one) + lasts(one)));
    known.set(node, start);
    return start;
  };
  return startOf;
}
