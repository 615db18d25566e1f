/**
 * Where Terraform keeps what it knows about a stack.
 * It must never write a path of the machine that synthesizes into the output: two machines make the same bytes.
 */
import { LocalBackend, type TerraformStack } from "cdktf";

/** Keeps the state in a git-ignored file in the project's folder; relative to `cdktf.out/stacks/<name>`, where Terraform runs. */
export function stateBackend(stack: TerraformStack, name: string): void {
  new LocalBackend(stack, { path: `../../../terraform.${name}.tfstate` });
}
