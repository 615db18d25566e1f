// Failures of functions: their builds, their code, their size, and who may call them.
// It must never accept a grant for its role alone: it must stand on the service that is called.
import type { PlanGraph, PlanNode } from "../plan-graph.ts";
import type { Attributes } from "../synthesized.ts";
import { type FailureRow, first, granteeOf, grants, wrong } from "./failure-row.ts";

const FUNCTION = "google_cloudfunctions2_function";
const INVOKER = "google_cloud_run_v2_service_iam_member";
const JOB = "google_cloud_scheduler_job";

const tokenOf = (job: PlanNode): Attributes => job.attributes["http_target"].oidc_token;
const uriOf = (job: PlanNode): string => job.attributes["http_target"].uri;

/** The grants that let an account into a function's service. */
function invokersOf(
  graph: PlanGraph,
  target: PlanNode | undefined,
  account: PlanNode | undefined,
): readonly PlanNode[] {
  return grants(graph).filter(
    (grant) =>
      grant.type === INVOKER &&
      grant.attributes["role"] === "roles/run.invoker" &&
      granteeOf(graph, grant) === account &&
      graph.origin(grant.stack, grant.attributes["name"])?.node === target,
  );
}

/** In the order of their numbers. */
export const functionRows: readonly FailureRow[] = [
  {
    failure: "6",
    title: "functions are built by an account that may write logs and images and read their code",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(FUNCTION), (node) => {
        const builder = graph.origin(node.stack, node.attributes["build_config"].service_account);
        const held = grants(graph).filter((grant) => granteeOf(graph, grant) === builder?.node);
        const roles = held.map(({ attributes }) => attributes["role"]).sort();
        const needed = ["roles/artifactregistry.writer", "roles/logging.logWriter", "roles/storage.objectViewer"];
        // A build names its account by its full name, not by its address.
        return builder?.attribute === "name" && roles.join() === needed.join();
      }),
    takeOut: ({ graph }) => {
      delete first(graph, FUNCTION).attributes["build_config"].service_account;
    },
  },
  {
    failure: "7",
    title: "an object is named after what is in it, so that new code is deployed",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType("google_storage_bucket_object"), ({ attributes }) => {
        const [, name, version] = /^([a-z-]+)\/([0-9a-f]{16})\.zip$/.exec(attributes["name"]) ?? [];
        return attributes["source"] === `../../sources/${name}-${version}.zip`;
      }),
    takeOut: ({ graph }) => {
      first(graph, "google_storage_bucket_object").attributes["name"] = "payments-api.zip";
    },
  },
  {
    failure: "9",
    title: "the right to call stands on the Cloud Run service, never on the function",
    stage: "public",
    complaints: ({ graph }) => [
      ...grants(graph).flatMap(({ type, address }) => (type.startsWith("google_cloudfunctions") ? [address] : [])),
      ...wrong(graph.ofType(INVOKER), ({ stack, attributes }) =>
        Boolean(graph.origin(stack, attributes["name"])?.attribute.endsWith(".service")),
      ),
    ],
    takeOut: ({ graph }) => {
      const grant = first(graph, INVOKER).attributes;
      grant["name"] = grant["name"].replace(".service_config[0].service", ".name");
    },
  },
  {
    failure: "10",
    title: "whoever calls a function holds run.invoker on its service",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(JOB), (job) => {
        const target = graph.origin(job.stack, tokenOf(job)["audience"])?.node;
        const account = graph.origin(job.stack, tokenOf(job)["service_account_email"])?.node;
        return target !== undefined && invokersOf(graph, target, account).length === 1;
      }),
    takeOut: ({ graph }) => {
      for (const { attributes } of graph.ofType(INVOKER)) attributes["role"] = "roles/cloudfunctions.invoker";
    },
  },
  {
    failure: "11",
    title: "a token's audience is the base URL of the service, whatever path is called",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(JOB), (job) => {
        const audience = graph.origin(job.stack, tokenOf(job)["audience"]);
        return audience?.attribute === "service_config[0].uri" && uriOf(job).startsWith(`${tokenOf(job)["audience"]}/`);
      }),
    takeOut: ({ graph }) => {
      const job = first(graph, JOB);
      tokenOf(job)["audience"] = uriOf(job);
    },
  },
  {
    failure: "12",
    title:
      "where allUsers is refused a stage works without: callers of a closed function hold a grant and send a token",
    stage: "dev",
    complaints: ({ graph }) => [
      ...grants(graph).flatMap(({ attributes, address }) => (attributes["member"] === "allUsers" ? [address] : [])),
      ...wrong(
        graph
          .ofType(FUNCTION)
          .filter(({ attributes }) => attributes["service_config"].environment_variables.ACQUIRER_URL),
        (caller) => {
          const { environment_variables: set, service_account_email: email } = caller.attributes["service_config"];
          const target = graph.origin(caller.stack, set.ACQUIRER_AUDIENCE)?.node;
          const account = graph.origin(caller.stack, email)?.node;
          return target !== undefined && invokersOf(graph, target, account).length === 1;
        },
      ),
    ],
    takeOut: ({ graph }) => {
      first(graph, INVOKER, ({ address }) => address.includes("payments-api")).attributes["member"] = "allUsers";
    },
  },
  {
    failure: "13",
    title: "more than one request at a time only on a whole CPU",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(
        graph.ofType(FUNCTION),
        ({ attributes: { service_config: service } }) =>
          service.max_instance_request_concurrency === 1 || Number(service.available_cpu) >= 1,
      ),
    takeOut: ({ graph }) => {
      delete first(graph, FUNCTION).attributes["service_config"].available_cpu;
    },
  },
  {
    failure: "33",
    title: "images go into a repository of the stage's own, which goes with it",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(FUNCTION), ({ stack, attributes }) => {
        const repository = graph.origin(stack, attributes["build_config"].docker_repository);
        return repository?.node.type === "google_artifact_registry_repository" && repository.attribute === "id";
      }),
    takeOut: ({ graph }) => {
      delete first(graph, FUNCTION).attributes["build_config"].docker_repository;
    },
  },
  {
    failure: "34",
    title: "the project's id is in the name of every bucket",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType("google_storage_bucket"), ({ attributes }) =>
        attributes["name"].startsWith(`${attributes["project"]}-`),
      ),
    takeOut: ({ graph }) => {
      first(graph, "google_storage_bucket").attributes["name"] = "sources";
    },
  },
];
