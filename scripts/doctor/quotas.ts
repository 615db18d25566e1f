// Looks for quotas that are zero in this region: a project on trial, or a region that must be asked for, has some.
// It must never block on what it cannot read: quotas have their own API, which is often off.

import type { Examined, Finding } from "./finding.ts";
import { fine, warns } from "./finding.ts";

/** One finding per service. */
export async function checkQuotas(examined: Examined): Promise<Finding[]> {
  const services = ["spanner.googleapis.com", "run.googleapis.com"].filter((service) =>
    examined.enabledApis.has(service),
  );
  return await Promise.all(services.map(async (service) => await checkService(examined, service)));
}

type Quota = {
  quotaId?: string;
  dimensionsInfos?: { applicableLocations?: string[]; details?: { value?: string | number } }[];
};

async function checkService({ gcloud, settings }: Examined, service: string): Promise<Finding> {
  const { projectId, region } = settings;
  const page = `https://console.cloud.google.com/iam-admin/quotas?project=${projectId}`;
  const list = ["beta", "quotas", "info", "list", `--service=${service}`];
  const { code, output } = await gcloud([...list, "--format=json"]);
  if (code !== 0) {
    return warns(
      `quotas of ${service} could not be read`,
      `gcloud services enable cloudquotas.googleapis.com --project=${projectId}`,
      page,
    );
  }
  const zero = (JSON.parse(output || "[]") as Quota[]).filter(({ dimensionsInfos = [] }) =>
    dimensionsInfos.some(
      ({ applicableLocations = [], details }) => applicableLocations.includes(region) && Number(details?.value) === 0,
    ),
  );
  if (zero.length === 0) return fine(`no quota of ${service} is zero in ${region}`);
  return warns(
    `quotas of ${service} that are zero in ${region}: ${zero.map(({ quotaId }) => quotaId).join(", ")}`,
    page,
  );
}
