// Holds the stack that everything stands on to its bill, its accounts, its builder's rights and its waits.
// It must never be read alone: what waits for what across stacks is in dependency-graph.test.ts.
import { requiredApis } from "../../infra/apis.ts";
import { bill, only, resources, synthesized } from "./synthesized.ts";

const { foundation } = synthesized({ STAGE: "dev" });
const shared = synthesized({ STAGE: "dev", PREFIX: "anna", PROJECT_ID: "payments-lab" }).foundation;
const prod = synthesized({ STAGE: "prod" }).foundation;

const accountsOf = (stack: typeof foundation) =>
  resources(stack, "google_service_account").map((account) => account["account_id"]);

describe("the foundation stack", () => {
  test("holds exactly the APIs, the accounts, the builder's rights, the places for code and images, and the waits", () => {
    expect(bill(foundation).filter((line) => !line.startsWith("google_project_service "))).toEqual([
      "google_artifact_registry_repository images/repository",
      "google_artifact_registry_repository_iam_member build/writes-images",
      "google_project_iam_member build/reads-sources",
      "google_project_iam_member build/writes-logs",
      "google_service_account accounts/dashboard",
      "google_service_account accounts/dead-letter-push",
      "google_service_account accounts/dead-letter-recorder",
      "google_service_account accounts/function-build",
      "google_service_account accounts/invoice",
      "google_service_account accounts/invoice-push",
      "google_service_account accounts/ledger-schedule",
      "google_service_account accounts/ledger-tasks",
      "google_service_account accounts/ledger-writer",
      "google_service_account accounts/notification",
      "google_service_account accounts/notification-push",
      "google_service_account accounts/payments-api",
      "google_service_account accounts/risk",
      "google_service_account accounts/risk-push",
      "google_service_account accounts/sample-shop",
      "google_service_account accounts/test-acquirer",
      "google_service_account accounts/webhook-caller",
      "google_service_account accounts/webhook-dispatcher",
      "google_storage_bucket sources/bucket",
      "time_sleep accounts/are-known",
      "time_sleep apis/are-ready",
      "time_sleep build/is-ready",
    ]);
    const services = resources(foundation, "google_project_service").map((one) => one["service"]);
    expect(services).toEqual([...requiredApis].sort());
  });

  test("lets the builder write logs and images and read the code that Google copied, nothing else", () => {
    const [reads] = resources(foundation, "google_project_iam_member").filter((one) => one["condition"]);

    expect(only(foundation, "google_artifact_registry_repository_iam_member")["role"]).toBe(
      "roles/artifactregistry.writer",
    );
    expect(reads).toMatchObject({
      role: "roles/storage.objectViewer",
      condition: { expression: 'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-")' },
    });
  });

  test("keeps code in a bucket that nobody else can read, named after the project, and images for a month", () => {
    expect(only(foundation, "google_storage_bucket")).toMatchObject({
      name: "placeholder-project-sources",
      public_access_prevention: "enforced",
      uniform_bucket_level_access: true,
    });
    expect(only(foundation, "google_artifact_registry_repository")["cleanup_policies"]).toMatchObject([
      { action: "KEEP", most_recent_versions: { keep_count: 5 } },
      { action: "DELETE", condition: { older_than: "2592000s" } },
    ]);
  });

  test("puts a prefix before every name that two people would fight over", () => {
    expect(accountsOf(shared)).toContain("anna-payments-api");
    expect(only(shared, "google_storage_bucket")["name"]).toBe("payments-lab-anna-sources");
    expect(only(shared, "google_artifact_registry_repository")["repository_id"]).toBe("anna-functions");
  });

  test("makes no account that a stage has no use for", () => {
    expect(accountsOf(prod)).not.toContain("test-acquirer");
    expect(accountsOf(foundation).sort()).toEqual([...accountsOf(prod), "test-acquirer", "sample-shop"].sort());
  });
});
