/**
 * A BigQuery dataset that a protected stage keeps and any other stage can be rid of.
 * It must never lie outside the region of the functions: the rows are payments.
 */
import { BigqueryDataset } from "@cdktf/provider-google/lib/bigquery-dataset/index.js";
import { Construct } from "constructs";
import { named, type Settings } from "../settings.ts";

/** The dataset. */
export class ProtectedDataset extends Construct {
  readonly dataset: BigqueryDataset;

  constructor(scope: Construct, id: string, settings: Settings, what: { name: string; description: string }) {
    super(scope, id);
    this.dataset = new BigqueryDataset(this, "dataset", {
      project: settings.projectId,
      datasetId: datasetName(settings, what.name),
      description: what.description,
      location: settings.region,
      // By default a dataset with anything in it refuses to go.
      deleteContentsOnDestroy: !settings.isProtected,
      lifecycle: { preventDestroy: settings.isProtected },
    });
  }
}

/** A dataset's name has letters, digits and underscores only. */
export function datasetName(settings: Settings, name: string): string {
  return named(settings, name).replaceAll("-", "_");
}
