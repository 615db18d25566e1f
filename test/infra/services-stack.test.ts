// Holds the stack of the functions to its bill, its least privilege, its environment and its sizes.
// It must never trust a name alone: grants are read with the resource, the member and the condition they stand on.
import { environmentNames } from "../../functions/config.ts";
import { bill, functionNamed, only, resources, type SynthesizedStack, synthesized } from "./synthesized.ts";

const dev = synthesized({ STAGE: "dev" });
const closed = synthesized({ STAGE: "dev", PUBLIC: "false" });
const prod = synthesized({ STAGE: "prod", ACQUIRER_URL: "https://acquirer.bank.example" });

/** `account: role on type`, sorted, for every grant of a stack. */
function grants(stack: SynthesizedStack): string[] {
  return Object.keys(stack.resource)
    .filter((type) => type.includes("_iam_") && type !== "google_project_iam_custom_role")
    .flatMap((type) =>
      resources(stack, type).map((grant) => `${memberOf(grant["member"])}: ${roleOf(grant["role"])} on ${type}`),
    )
    .sort();
}

const memberOf = (member: string) => /google_service_account\.([a-z-]+)_account_/.exec(member)?.[1] ?? member;
const roleOf = (role: string) => (role.includes("ledger_runtime-role") ? "ledger runtime" : role);

describe("the services stack", () => {
  test("holds exactly one function per line, with its account, code and grants", () => {
    expect(bill(dev.services)).toEqual([
      "google_cloud_run_v2_service_iam_member payments-api/public",
      "google_cloud_run_v2_service_iam_member test-acquirer/public",
      "google_cloudfunctions2_function payments-api/function",
      "google_cloudfunctions2_function test-acquirer/function",
      "google_project_iam_member payments-api/uses-documents",
      "google_project_iam_member test-acquirer/uses-documents",
      "google_secret_manager_secret_iam_member payments-api/reads-secret",
      "google_secret_manager_secret_iam_member test-acquirer/reads-secret",
      "google_service_account payments-api/account",
      "google_service_account test-acquirer/account",
      "google_spanner_database_iam_member payments-api/uses-ledger",
      "google_storage_bucket sources/bucket",
      "google_storage_bucket_object sources/payments-api",
      "google_storage_bucket_object sources/test-acquirer",
    ]);
  });

  test("grants each account what its function touches, and only there", () => {
    expect(grants(closed.services)).toEqual([
      "payments-api: ledger runtime on google_spanner_database_iam_member",
      "payments-api: roles/datastore.user on google_project_iam_member",
      "payments-api: roles/secretmanager.secretAccessor on google_secret_manager_secret_iam_member",
      "test-acquirer: roles/datastore.user on google_project_iam_member",
      "test-acquirer: roles/secretmanager.secretAccessor on google_secret_manager_secret_iam_member",
    ]);
  });

  test("limits the one grant that has to stand on the project to the named database", () => {
    for (const grant of resources(dev.services, "google_project_iam_member")) {
      expect(grant["condition"].expression).toMatch(
        /^resource\.name == "projects\/\$\{[^}]+\}\/databases\/\$\{[^}]+name\}"$/,
      );
    }
  });

  test("uses no primitive role and no authoritative policy, which would strip other grants", () => {
    expect(dev.services.text).not.toMatch(/roles\/(owner|editor|viewer)"/);
    expect(Object.keys(dev.services.resource).filter((type) => /_iam_(policy|binding)$/.test(type))).toEqual([]);
  });

  test("lets the world in only when the setting says so, and on the service, not on the function", () => {
    expect(closed.services.text).not.toContain("allUsers");
    expect(resources(dev.services, "google_cloud_run_v2_service_iam_member")).toHaveLength(2);
    for (const grant of resources(dev.services, "google_cloud_run_v2_service_iam_member")) {
      expect(grant).toMatchObject({ member: "allUsers", role: "roles/run.invoker" });
      expect(grant["name"]).toMatch(/\.service_config\[0\]\.service\}$/);
    }
  });

  test("gives every function its own account, the runtime of the tests, and concurrency only with a whole CPU", () => {
    const functions = resources(dev.services, "google_cloudfunctions2_function");
    const accounts = functions.map((one) => one["service_config"].service_account_email);

    expect(new Set(accounts).size).toBe(functions.length);
    for (const { build_config, service_config } of functions) {
      expect(build_config.runtime).toBe("nodejs24");
      expect(service_config.max_instance_request_concurrency).toBeGreaterThan(1);
      expect(Number(service_config.available_cpu)).toBeGreaterThanOrEqual(1);
      expect(service_config.timeout_seconds).toBe(60);
      expect(service_config.available_memory).toBe("512Mi");
    }
  });

  test("sets every variable that payments-api reads, and no more", () => {
    const { environment_variables: plain, secret_environment_variables: secret } = functionNamed(
      dev.services,
      "payments-api",
    )["service_config"];
    const secretNames = secret.map((one: { key: string }) => one.key);

    expect([...Object.keys(plain), ...secretNames].sort()).toEqual(Object.values(environmentNames).sort());
    expect(secretNames).toEqual([environmentNames.acquirerSecret]);
  });

  test("tells no function its own URL, which Terraform cannot know", () => {
    for (const [id, one] of Object.entries(dev.services.resource["google_cloudfunctions2_function"] ?? {})) {
      expect(JSON.stringify(one["service_config"])).not.toContain(`google_cloudfunctions2_function.${id}`);
    }
  });

  test("starts no function before it may read its secret and use its stores", () => {
    const { depends_on: before } = functionNamed(dev.services, "payments-api");

    expect(before.map((one: string) => one.split(".")[0]).sort()).toEqual([
      "google_project_iam_member",
      "google_secret_manager_secret_iam_member",
      "google_spanner_database_iam_member",
    ]);
  });

  test("pins the secret's version by its number", () => {
    const [mounted] = functionNamed(dev.services, "payments-api")["service_config"].secret_environment_variables;

    expect(mounted.version).toMatch(/google_secret_manager_secret_version.*version\}$/);
  });

  test("keeps code in a bucket that nobody else can read, named after the project", () => {
    expect(only(dev.services, "google_storage_bucket")).toMatchObject({
      name: "placeholder-project-sources",
      public_access_prevention: "enforced",
      uniform_bucket_level_access: true,
    });
  });
});

describe("the services stack of prod", () => {
  test("has no test acquirer, and calls the acquirer of the settings", () => {
    const functions = resources(prod.services, "google_cloudfunctions2_function").map((one) => one["name"]);

    expect(functions).toEqual(["payments-api"]);
    expect(prod.services.text).not.toContain("test-acquirer");
    expect(functionNamed(prod.services, "payments-api")["service_config"].environment_variables.ACQUIRER_URL).toBe(
      "https://acquirer.bank.example",
    );
  });

  test("keeps an instance warm and caps their number", () => {
    expect(functionNamed(prod.services, "payments-api")["service_config"]).toMatchObject({
      min_instance_count: 1,
      max_instance_count: 100,
    });
  });
});
