// Shows that no resource can start before what it needs, and that no function knows itself by its address.
// It must never trust the order of files or lines: the graph is what Terraform reads.
import { requiredApis } from "../../infra/apis.ts";
import { apiOf } from "./api-of-resource.ts";
import { type PlanGraph, type PlanNode, planGraph } from "./plan-graph.ts";
import { synthesizedPlan } from "./synthesized.ts";

const stages = {
  "dev, closed": synthesizedPlan({ STAGE: "dev" }),
  "dev, public": synthesizedPlan({ STAGE: "dev", PUBLIC: "true" }),
  prod: synthesizedPlan({ STAGE: "prod" }),
};

describe.each(Object.entries(stages))("the dependency graph of %s", (_title, plan) => {
  const graph = planGraph(plan);
  const functions = graph.ofType("google_cloudfunctions2_function");

  test("starts nothing before its API was turned on and waited for", () => {
    const early = graph.nodes.filter((node) => {
      const api = apiOf(node.type);
      return api !== undefined && !waitsAfter(graph, node, (one) => one.attributes["service"] === api);
    });

    expect(early.map(({ address }) => address)).toEqual([]);
  });

  test("turns on exactly the APIs of the list", () => {
    const services = graph.ofType("google_project_service").map(({ attributes }) => attributes["service"]);

    expect(services.sort()).toEqual([...requiredApis].sort());
    const used = new Set(graph.nodes.map(({ type }) => apiOf(type)));
    expect(requiredApis.filter((api) => !used.has(api) && !usedOtherwise.includes(api))).toEqual([]);
  });

  test("starts no function before its builder's rights have spread", () => {
    expect(functions.length).toBeGreaterThan(0);
    for (const node of functions) {
      const builder = graph.origin(node.stack, node.attributes["build_config"].service_account)?.node;
      const rights = graph.nodes.filter(
        (one) =>
          one.type.endsWith("_iam_member") && graph.origin(one.stack, one.attributes["member"])?.node === builder,
      );
      expect(rights).toHaveLength(3);
      for (const right of rights) expect(waitsAfter(graph, node, (one) => one === right)).toBe(true);
    }
  });

  test("starts no function before all rights of its account, its secrets' among them", () => {
    for (const node of functions) {
      const account = graph.origin(node.stack, node.attributes["service_config"].service_account_email)?.node;
      const rights = graph.nodes.filter(
        (one) =>
          one.type.endsWith("_iam_member") && graph.origin(one.stack, one.attributes["member"])?.node === account,
      );
      const earlier = graph.before(node);
      expect(rights.filter((right) => !earlier.includes(right))).toEqual([]);
      for (const mounted of node.attributes["service_config"].secret_environment_variables) {
        const secret = graph.origin(node.stack, mounted.secret)?.node;
        const readers = rights.filter(
          (right) => graph.origin(right.stack, right.attributes["secret_id"])?.node === secret,
        );
        expect(readers).toHaveLength(1);
      }
    }
  });

  test("starts no schedule before its account may call and Cloud Scheduler may sign for it", () => {
    for (const job of graph.ofType("google_cloud_scheduler_job")) {
      const token = job.attributes["http_target"].oidc_token;
      const account = graph.origin(job.stack, token.service_account_email)?.node;
      const types = graph
        .before(job)
        .filter((one) =>
          ["member", "service_account_id"].some(
            (name) => graph.origin(one.stack, one.attributes[name])?.node === account,
          ),
        )
        .map(({ type }) => type);
      // An account that more products call as has one more for each.
      expect([...new Set(types)].sort()).toEqual([
        "google_cloud_run_v2_service_iam_member",
        "google_service_account_iam_member",
      ]);
    }
  });

  test("tells no function its own URL, and no two functions each other's", () => {
    const knows = new Map(functions.map((node) => [node, addressedIn(graph, node)]));
    const reaches = (node: PlanNode, seen: Set<PlanNode>): Set<PlanNode> => {
      for (const other of knows.get(node) ?? []) if (!seen.has(other)) reaches(other, seen.add(other));
      return seen;
    };

    expect(functions.filter((node) => reaches(node, new Set()).has(node))).toEqual([]);
  });
});

/** What the plan uses without a resource of its own. */
const usedOtherwise: readonly string[] = [
  "serviceusage.googleapis.com", // google_project_service
  "iamcredentials.googleapis.com", // tokens, when they are signed
  "telemetry.googleapis.com", // spans, which functions send
  "cloudtrace.googleapis.com", // where they are kept
  "run.googleapis.com", // the services behind functions, in a stage without a grant on one
  "cloudbuild.googleapis.com", // the builds of functions
];

/** True when a wait stands between the nodes that are meant and this one. */
function waitsAfter(graph: PlanGraph, node: PlanNode, isMeant: (one: PlanNode) => boolean): boolean {
  return graph.before(node).some((one) => one.type === "time_sleep" && graph.before(one).some(isMeant));
}

/** Functions whose address stands in the environment of this one. */
function addressedIn(graph: PlanGraph, { stack, attributes }: PlanNode): PlanNode[] {
  return Object.values(attributes["service_config"].environment_variables ?? {}).flatMap((value) => {
    const found = graph.origin(stack, value);
    return found?.node.type === "google_cloudfunctions2_function" ? [found.node] : [];
  });
}
