// Looks at whether the region builds functions on the runtime in use, and has every product that the stage puts there.
// It must never take a product's silence for a yes: what could not be asked is said.

import type { Examined, Finding } from "./finding.ts";
import { blocks, fine, warns } from "./finding.ts";

/** One finding per product that the plan places somewhere. */
export async function checkRegion(examined: Examined): Promise<Finding[]> {
  const { resources, settings } = examined;
  const placed = placements.flatMap((placement) => {
    const planned = resources.filter(({ type }) => type === placement.type);
    const wanted = new Set(planned.map(({ attributes }) => placement.wanted(attributes, settings.region)));
    return [...wanted].map((place) => ({ ...placement, place }));
  });
  return await Promise.all(placed.map(async (placement) => await checkPlacement(examined, placement)));
}

type Placement = {
  /** Terraform's type; a product that is not planned is not asked. */
  type: string;
  product: string;
  api: string;
  /** Lists what the product offers, one a line; the last part of a path counts. */
  list(region: string): string[];
  wanted(attributes: Readonly<Record<string, unknown>>, region: string): string;
};

const placements: readonly Placement[] = [
  {
    type: "google_cloudfunctions2_function",
    product: "Cloud Run functions, runtime",
    api: "cloudfunctions.googleapis.com",
    list: (region) => ["functions", "runtimes", "list", `--region=${region}`, "--format=value(name)"],
    wanted: ({ build_config }) => String((build_config as Record<string, unknown>)["runtime"]),
  },
  {
    type: "google_spanner_instance",
    product: "Spanner, configuration",
    api: "spanner.googleapis.com",
    list: () => ["spanner", "instance-configs", "list", "--format=value(name)"],
    wanted: ({ config }) => String(config),
  },
  {
    type: "google_firestore_database",
    product: "Firestore, location",
    api: "firestore.googleapis.com",
    list: () => ["firestore", "locations", "list", "--format=value(locationId)"],
    wanted: ({ location_id }) => String(location_id),
  },
  {
    type: "google_cloud_tasks_queue",
    product: "Cloud Tasks, location",
    api: "cloudtasks.googleapis.com",
    list: () => ["tasks", "locations", "list", "--format=value(locationId)"],
    wanted: ({ location }, region) => String(location ?? region),
  },
  {
    type: "google_cloud_scheduler_job",
    product: "Cloud Scheduler, location",
    api: "cloudscheduler.googleapis.com",
    list: () => ["scheduler", "locations", "list", "--format=value(locationId)"],
    wanted: ({ region: location }, region) => String(location ?? region),
  },
];

async function checkPlacement(examined: Examined, placement: Placement & { place: string }): Promise<Finding> {
  const { gcloud, settings, enabledApis } = examined;
  const { product, api, place } = placement;
  if (!enabledApis.has(api)) {
    const cure = `gcloud services enable ${api} --project=${settings.projectId}`;
    return warns(`${product} ${place}: not asked, as its API is off until the first deploy; to ask before it:`, cure);
  }
  const command = placement.list(settings.region);
  const { code, output } = await gcloud(command);
  if (code !== 0) return warns(`${product} ${place}: could not be asked`, `gcloud ${command.join(" ")}`);
  const offered = output.split(/\s+/).map((name) => name.split("/").at(-1));
  if (offered.includes(place)) return fine(`${product} ${place}`);
  const { projectId, stage } = settings;
  const another = `npm run bootstrap -- --project ${projectId} --region ANOTHER_REGION --stage ${stage}`;
  return blocks(`${product} ${place} is not offered for ${settings.region}`, `gcloud ${command.join(" ")}`, another);
}
