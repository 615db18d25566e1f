// Holds the dashboard's function to its grants, its variables and who may reach it, in every kind of stage.
// It must never hold what the pages show: that is the edge's.
import { environmentNames } from "../../functions/config.ts";
import { planGraph } from "./plan-graph.ts";
import { bill, functionNamed, type SynthesizedPlan, synthesizedPlan } from "./synthesized.ts";

const open = synthesizedPlan({ STAGE: "dev", PUBLIC: "true" });
const closed = synthesizedPlan({ STAGE: "dev" });
const prod = synthesizedPlan({ STAGE: "prod", ACQUIRER_URL: "https://acquirer.bank.example" });

const own = (plan: SynthesizedPlan) => bill(plan.stacks.services).filter((line) => / dashboard\//.test(line));

/** Names of its variables, those from secrets behind the others. */
function variables(plan: SynthesizedPlan): string[] {
  const { environment_variables: plain, secret_environment_variables: secret } = functionNamed(
    plan.stacks.services,
    "dashboard",
  )["service_config"];
  const own = Object.keys(plain).filter((key) => !key.startsWith("TRACE_"));
  return [...own.sort(), ...secret.map((one: { key: string }) => one.key)];
}

/** What is granted to its account, as `role on type`. */
function grants(plan: SynthesizedPlan): string[] {
  const graph = planGraph(plan);
  return graph.nodes
    .filter(({ type }) => type.endsWith("_iam_member"))
    .filter(
      ({ stack, attributes }) =>
        graph.origin(stack, attributes["member"])?.node.attributes["account_id"] === "dashboard",
    )
    .map(({ type, attributes }) => `${attributes["role"]} on ${type.replace(/^google_|_iam_member$/g, "")}`)
    .sort();
}

const session = "roles/secretmanager.secretAccessor on secret_manager_secret";
const traces = "roles/telemetry.tracesWriter on project";

const past = ["roles/bigquery.dataViewer on bigquery_dataset", "roles/bigquery.jobUser on project"];

test("the dashboard is one function, which the world reaches where the API is open to it", () => {
  const parts = [
    "google_bigquery_dataset_iam_member dashboard/reads-history",
    "google_cloudfunctions2_function dashboard/function",
    "google_project_iam_member dashboard/runs-queries",
    "google_project_iam_member dashboard/writes-traces",
    "google_secret_manager_secret_iam_member dashboard/reads-dashboard-session-key",
    "google_storage_bucket_object dashboard/source",
  ];

  expect(own(open)).toEqual([...parts, "google_cloud_run_v2_service_iam_member dashboard/public"].sort());
  const invoking = "google_cloud_run_v2_service_iam_member dashboard/invokes-payments-api";
  expect(own(closed)).toEqual([...parts, invoking].sort());
});

test("the dashboard may read the key of its sessions, call the API and ask the views of the history, and touches no store", () => {
  expect([grants(open), grants(closed), grants(prod)]).toEqual([
    [...past, session, traces],
    [...past, "roles/run.invoker on cloud_run_v2_service", session, traces],
    [...past, "roles/run.invoker on cloud_run_v2_service", session, traces],
  ]);
});

test("the dashboard gets every variable that its entry reads, and no more", () => {
  const { project, paymentsUrl, paymentsAudience, dashboardSessionKey, crashTour } = environmentNames;
  const past = [environmentNames.historyDataset, environmentNames.historyLocation];

  expect(variables(open)).toEqual([crashTour, ...past, paymentsUrl, project, dashboardSessionKey]);
  expect(variables(closed)).toEqual([crashTour, ...past, paymentsAudience, paymentsUrl, project, dashboardSessionKey]);
  // Where real money moves nothing crashes on purpose.
  expect(variables(prod)).toEqual([...past, paymentsAudience, paymentsUrl, project, dashboardSessionKey]);
});
