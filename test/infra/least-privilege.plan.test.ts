// Shows who may do what in every stage: nothing for the world unasked, nothing on the project that a resource can give.
// It must never accept a new grant on the project by itself: each one is named here with its reason.
import { type PlanNode, planGraph } from "./plan-graph.ts";
import { only, synthesizedPlan } from "./synthesized.ts";

const stages = {
  "dev, closed": synthesizedPlan({ STAGE: "dev" }),
  "dev, public": synthesizedPlan({ STAGE: "dev", PUBLIC: "true" }),
  staging: synthesizedPlan({ STAGE: "staging" }),
  prod: synthesizedPlan({ STAGE: "prod" }),
};

/** Grants that have to stand on the project, and the condition that narrows each; undefined where there is none. */
const onTheProject: Readonly<Record<string, RegExp | undefined>> = {
  // Firestore has no policy per database.
  "roles/datastore.user": /^resource\.name == "projects\/\$\{[^}]+\}\/databases\/\$\{[^}]+name\}"$/,
  // Google makes the buckets into which it copies code, so they have no resource here.
  "roles/storage.objectViewer": /^resource\.name\.startsWith\("projects\/_\/buckets\/gcf-v2-sources-"\)$/,
  // A query is a job of the project; what it may read is granted on a dataset.
  "roles/bigquery.jobUser": undefined,
  // There is no smaller place for a log line.
  "roles/logging.logWriter": undefined,
  // A project has one set of traces.
  "roles/telemetry.tracesWriter": undefined,
};

const isGrant = ({ type }: PlanNode) => /_iam_(?:member|binding|policy)$/.test(type);

describe.each(Object.entries(stages))("the grants of %s", (title, plan) => {
  const graph = planGraph(plan);
  const grants = graph.nodes.filter(isGrant);

  test("let the world in only when the setting says so, into the functions that have a gate of their own", () => {
    const open = grants.filter(({ attributes }) => /all(?:Authenticated)?Users/.test(attributes["member"]));
    const services = open.map(
      ({ stack, attributes }) => graph.origin(stack, attributes["name"])?.node.attributes["name"],
    );

    expect(services.sort()).toEqual(
      title === "dev, public" ? ["dashboard", "payments-api", "sample-shop", "test-acquirer"] : [],
    );
  });

  test("use no primitive role, and no authoritative policy, which would strip the grants of others", () => {
    expect(grants.filter(({ attributes }) => /^roles\/(?:owner|editor|viewer)$/.test(attributes["role"]))).toEqual([]);
    expect(grants.filter(({ type }) => !type.endsWith("_iam_member"))).toEqual([]);
  });

  test("stand on the project only where there is nothing smaller, and then under a condition", () => {
    const wide = grants.filter(({ type }) => type === "google_project_iam_member");

    expect(wide.length).toBeGreaterThan(0);
    for (const { attributes } of wide) {
      expect(Object.keys(onTheProject)).toContain(attributes["role"]);
      const condition = onTheProject[attributes["role"]];
      if (condition === undefined) expect(attributes["condition"]).toBeUndefined();
      else expect(attributes["condition"].expression).toMatch(condition);
    }
  });

  test("give the runtime's role rows and no right over the schema", () => {
    const { permissions } = only(plan.stacks.data, "google_project_iam_custom_role");

    expect(permissions.length).toBeGreaterThan(0);
    expect(
      permissions.filter((one: string) => !/^spanner\.(?:databases\.(?:begin|read|select|write)|sessions\.)/.test(one)),
    ).toEqual([]);
  });

  test("never name two functions' account, nor the project's default account", () => {
    const accounts = graph
      .ofType("google_cloudfunctions2_function")
      .map(({ stack, attributes }) => graph.origin(stack, attributes["service_config"].service_account_email)?.node);

    expect(accounts).not.toContain(undefined);
    expect(new Set(accounts).size).toBe(accounts.length);
  });
});
