// Holds a stage with Memorystore to its bill, to who reaches it, and to what the password passes through.
// It must never let the store change what a stage without it declares.
import { memoryStoreApis, requiredApis } from "../../infra/apis.ts";
import { planGraph } from "./plan-graph.ts";
import { bill, functionNamed, only, resources, type SynthesizedPlan, synthesizedPlan } from "./synthesized.ts";

const variables = { STAGE: "dev", PREFIX: "annabelle" };
const without = synthesizedPlan(variables);
const withStore = synthesizedPlan({ ...variables, IDEMPOTENCY_CACHE: "memorystore" });
const prod = synthesizedPlan({ STAGE: "prod", IDEMPOTENCY_CACHE: "memorystore" });

const billOf = ({ stacks }: SynthesizedPlan) => Object.values(stacks).flatMap(bill);

describe("a stage with Memorystore as its idempotency cache", () => {
  test("has the instance, its network, connector, password, APIs and alerts more, and nothing less", () => {
    const before = billOf(without);
    const after = billOf(withStore);

    expect(before.filter((line) => !after.includes(line))).toEqual([]);
    expect(after.filter((line) => !before.includes(line)).sort()).toEqual([
      "google_compute_network memory-store/network",
      "google_monitoring_alert_policy cache-alerts/cache-connections/policy",
      "google_monitoring_alert_policy cache-alerts/cache-evictions/policy",
      "google_monitoring_alert_policy cache-alerts/cache-memory/policy",
      "google_project_service apis/compute",
      "google_project_service apis/redis",
      "google_project_service apis/vpcaccess",
      "google_redis_instance memory-store/instance",
      "google_secret_manager_secret memory-store/cache-auth/secret",
      "google_secret_manager_secret_iam_member payments-api/reads-cache-auth",
      "google_secret_manager_secret_version memory-store/cache-auth/version",
      "google_vpc_access_connector memory-store/connector",
    ]);
    const services = resources(withStore.stacks.foundation, "google_project_service").map(({ service }) => service);
    expect(services.sort()).toEqual([...requiredApis, ...memoryStoreApis].sort());
  });

  test("asks for a password and encrypts, in a network of its own, and evicts answers before claims", () => {
    const { data } = withStore.stacks;
    const instance = only(data, "google_redis_instance");

    expect(instance).toMatchObject({
      tier: "BASIC",
      memory_size_gb: 1,
      redis_version: "REDIS_7_2",
      auth_enabled: true,
      transit_encryption_mode: "SERVER_AUTHENTICATION",
      redis_configs: { "maxmemory-policy": "volatile-ttl", "maxmemory-gb": "0.8" },
    });
    expect(only(data, "google_compute_network")["auto_create_subnetworks"]).toBe(false);
    expect(instance["authorized_network"]).toMatch(/^\$\{google_compute_network\.\w+[\w-]*\.id\}$/);
    const connector = only(data, "google_vpc_access_connector");
    expect(connector["name"]).toBe("annabelle-payments-cache");
    expect(connector["name"].length).toBeLessThanOrEqual(25);
    expect([connector["ip_cidr_range"], instance["reserved_ip_range"]]).toEqual(["10.8.0.0/28", "10.9.0.0/29"]);
    expect(only(prod.stacks.data, "google_redis_instance")).toMatchObject({ tier: "STANDARD_HA", memory_size_gb: 2 });
  });

  test("lets payments-api alone in, by the connector and for private addresses only, with the password mounted", () => {
    const functions = resources(withStore.stacks.services, "google_cloudfunctions2_function");
    const inside = functions.filter(({ service_config }) => service_config.vpc_connector !== undefined);

    expect(inside.map(({ build_config }) => build_config.entry_point)).toEqual(["payments-api"]);
    const { service_config } = functionNamed(withStore.stacks.services, "annabelle-payments-api");
    expect(service_config.vpc_connector_egress_settings).toBe("PRIVATE_RANGES_ONLY");
    expect(Object.keys(service_config.environment_variables)).toEqual(
      expect.arrayContaining(["REDIS_HOST", "REDIS_PORT", "REDIS_AUTHORITIES"]),
    );
    const mounted = service_config.secret_environment_variables.map(({ key }: { key: string }) => key);
    expect(mounted).toContain("REDIS_AUTH");
    expect(mounted.length).toBe(
      1 +
        functionNamed(without.stacks.services, "annabelle-payments-api")["service_config"].secret_environment_variables
          .length,
    );
  });

  test("writes the password nowhere but into the secret that Terraform fills from the instance", () => {
    const texts = Object.values(withStore.stacks).map(({ text }) => text);
    const mentions = texts.flatMap((text) => [...text.matchAll(/[^"]*auth_string[^"]*/g)].map(([match]) => match));

    expect(mentions).toEqual([expect.stringMatching(/^\$\{google_redis_instance\.[\w-]+\.auth_string\}$/)]);
    expect(only(withStore.stacks.data, "google_secret_manager_secret_version")["secret_data"]).toBe(mentions[0]);
  });

  test("is deployed after the APIs that make it", () => {
    const graph = planGraph(withStore);
    for (const type of ["google_redis_instance", "google_vpc_access_connector", "google_compute_network"])
      for (const node of graph.ofType(type))
        expect(graph.before(node).some((one) => one.type === "google_project_service")).toBe(true);
  });
});
