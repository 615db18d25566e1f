/**
 * Where Terraform keeps what it knows about a stack, and the refusal to deploy a stack that has no project yet.
 * It must never write a path of the machine that synthesizes into the output: two machines make the same bytes.
 */
import { GcsBackend, LocalBackend, type TerraformStack, TerraformVariable } from "cdktf";
import { isPlaceholder, NO_PROJECT, type Settings, stateFolder } from "./settings.ts";

/**
 * Keeps the state in the bucket that bootstrap made, one folder per prefix and stage; without it, in a git-ignored file
 * of the project's folder (relative to `cdktf.out/stacks/<name>`, where Terraform runs).
 */
export function stateBackend(stack: TerraformStack, name: string, settings: Settings): void {
  const { stateBucket } = settings;
  if (stateBucket === null) new LocalBackend(stack, { path: `../../../terraform.${name}.tfstate` });
  else new GcsBackend(stack, { bucket: stateBucket, prefix: stateFolder(settings, name) });
  if (isPlaceholder(settings)) refuseToPlan(stack);
}

/** Synthesis works without a project; a plan does not. Terraform checks a variable before it calls any API. */
function refuseToPlan(stack: TerraformStack): void {
  const variable = new TerraformVariable(stack, "project-is-named", { type: "bool", default: false });
  variable.overrideLogicalId("project_is_named");
  variable.addOverride("validation", [{ condition: `\${var.project_is_named}`, error_message: `${NO_PROJECT}.` }]);
}
