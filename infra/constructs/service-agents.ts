/**
 * The accounts under which Google's own products act in this project: they forward dead letters, write into BigQuery and
 * sign the tokens of their calls.
 * It must never grant them anything on the whole project.
 */
import { DataGoogleProject } from "@cdktf/provider-google/lib/data-google-project/index.js";
import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";

/** The products whose agents need something here, by the name in their agent's address. */
export type AgentProduct = "pubsub" | "cloudtasks" | "cloudscheduler";

/** The agents of the project; their addresses hold the project's number, which only the cloud knows. */
export class ServiceAgents extends Construct {
  /** As some APIs want the project named. */
  readonly projectNumber: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.projectNumber = new DataGoogleProject(this, "project", { projectId: settings.projectId }).number;
  }

  /** The agents of the stack that `scope` stands in; the project is looked up once per stack. */
  static of(scope: Construct, settings: Settings): ServiceAgents {
    const stack = TerraformStack.of(scope);
    const found = stack.node.tryFindChild(AGENTS);
    return found instanceof ServiceAgents ? found : new ServiceAgents(stack, AGENTS, settings);
  }

  /** The agent as a member of a grant. */
  member(product: AgentProduct): string {
    return `serviceAccount:service-${this.projectNumber}@gcp-sa-${product}.iam.gserviceaccount.com`;
  }
}

const AGENTS = "service-agents";
