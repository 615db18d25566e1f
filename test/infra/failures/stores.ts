// Failures of stores: made twice, not to be deleted, deleted by mistake, replaced by a plan.
// It must never ask of a stage that can be destroyed what only a protected one needs, nor the other way round.
import { readDdl, readReleased, releaseBreach } from "../../../infra/ddl.ts";
import type { PlanNode } from "../plan-graph.ts";
import { type FailureRow, first, wrong } from "./failure-row.ts";

const FIRESTORE = "google_firestore_database";
const FIELD = "google_firestore_field";
const INSTANCE = "google_spanner_instance";
const SPANNER = "google_spanner_database";

const isKept = ({ attributes }: PlanNode) => attributes["lifecycle"]?.prevent_destroy === true;

/** In the order of their numbers. */
export const storeRows: readonly FailureRow[] = [
  {
    failure: "16",
    title: "destroying dev really deletes Firestore, so that it can be made again",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(FIRESTORE), ({ attributes }) => attributes["deletion_policy"] === "DELETE"),
    takeOut: ({ graph }) => {
      delete first(graph, FIRESTORE).attributes["deletion_policy"];
    },
  },
  {
    failure: "17",
    title: "Firestore is deleted only where it is unprotected, and abandoned only where Terraform refuses first",
    stage: "prod",
    complaints: ({ graph }) =>
      wrong(graph.ofType(FIRESTORE), (node) =>
        node.attributes["delete_protection_state"] === "DELETE_PROTECTION_ENABLED"
          ? node.attributes["deletion_policy"] === "ABANDON" && isKept(node)
          : node.attributes["deletion_policy"] === "DELETE",
      ),
    takeOut: ({ graph }) => {
      first(graph, FIRESTORE).attributes["lifecycle"].prevent_destroy = false;
    },
  },
  {
    failure: "19",
    title: "a changed place cannot replace the documents of a protected stage",
    stage: "prod",
    complaints: ({ graph }) => wrong(graph.ofType(FIRESTORE), isKept),
    takeOut: ({ graph }) => {
      delete first(graph, FIRESTORE).attributes["lifecycle"];
    },
  },
  {
    failure: "20",
    title: "a change of a Firestore field may take an hour",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(FIELD), ({ attributes }) =>
        ["create", "update", "delete"].every((operation) => attributes["timeouts"]?.[operation] === "60m"),
      ),
    takeOut: ({ graph }) => {
      delete first(graph, FIELD).attributes["timeouts"];
    },
  },
  {
    failure: "21",
    title: "the expiry of a protected stage's documents cannot be cleared by destroying a field",
    stage: "prod",
    complaints: ({ graph }) => wrong(graph.ofType(FIELD), isKept),
    takeOut: ({ graph }) => {
      first(graph, FIELD).attributes["lifecycle"].prevent_destroy = false;
    },
  },
  {
    failure: "22",
    title: "nothing in dev refuses to be destroyed",
    stage: "dev",
    complaints: ({ graph }) => [
      ...wrong(
        graph.ofType(SPANNER),
        ({ attributes }) =>
          attributes["deletion_protection"] === false && attributes["enable_drop_protection"] === false,
      ),
      ...graph.nodes.filter(isKept).map(({ address }) => address),
    ],
    takeOut: ({ graph }) => {
      delete first(graph, SPANNER).attributes["deletion_protection"];
    },
  },
  {
    failure: "23",
    title: "the statements that are sent are the list that the tests run on Google's emulator",
    stage: "dev",
    complaints: ({ graph }) =>
      wrong(graph.ofType(SPANNER), ({ attributes }) => attributes["ddl"].join(";\n") === readDdl().join(";\n")),
    takeOut: ({ graph }) => {
      first(graph, SPANNER).attributes["ddl"].push("CREATE TABEL typo (id INT64) PRIMARY KEY (id)");
    },
  },
  {
    failure: "24",
    title: "no plan replaces a protected database: its statements are the released ones, and destroying it is refused",
    stage: "prod",
    complaints: ({ graph }) =>
      wrong(
        graph.ofType(SPANNER),
        (node) => isKept(node) && releaseBreach(node.attributes["ddl"], readReleased()) === undefined,
      ),
    takeOut: ({ graph }) => {
      const { attributes } = first(graph, SPANNER);
      attributes["ddl"] = attributes["ddl"].with(0, attributes["ddl"][0].replace("STRING(64)", "STRING(65)"));
    },
  },
  {
    failure: "25",
    title: "no backup keeps a Spanner instance of dev alive",
    stage: "dev",
    complaints: ({ graph }) => [
      ...wrong(
        graph.ofType(INSTANCE),
        ({ attributes }) =>
          attributes["force_destroy"] === true && attributes["default_backup_schedule_type"] === "NONE",
      ),
      ...graph.ofType("google_spanner_backup_schedule").map(({ address }) => address),
    ],
    takeOut: ({ graph }) => {
      first(graph, INSTANCE).attributes["default_backup_schedule_type"] = "AUTOMATIC";
    },
  },
  {
    failure: "26",
    title: "no edition of Spanner is asked for what it does not have",
    stage: "prod",
    complaints: ({ graph }) =>
      wrong(graph.ofType(INSTANCE), ({ attributes }) => {
        const { autoscaling_config: scaling, config, edition, processing_units: units } = attributes;
        const isRegional = config.startsWith("regional-");
        const isPossible = units < 1000 ? units % 100 === 0 : units % 1000 === 0;
        return (
          isPossible &&
          (edition !== "STANDARD" || scaling === undefined) &&
          (isRegional || edition === "ENTERPRISE_PLUS")
        );
      }),
    takeOut: ({ graph }) => {
      first(graph, INSTANCE).attributes["autoscaling_config"] = { autoscaling_limits: { min_nodes: 1, max_nodes: 2 } };
    },
  },
  {
    failure: "F54",
    title: "dev can be deployed, destroyed and deployed again: a named Firestore that goes, queues with a generation",
    stage: "dev",
    complaints: ({ graph }) => [
      ...wrong(
        graph.ofType(FIRESTORE),
        ({ attributes }) => attributes["name"] !== "(default)" && attributes["deletion_policy"] === "DELETE",
      ),
      ...wrong(graph.ofType("google_cloud_tasks_queue"), ({ attributes }) => /-g\d+$/.test(attributes["name"])),
    ],
    takeOut: ({ graph }) => {
      first(graph, FIRESTORE).attributes["name"] = "(default)";
    },
  },
];
