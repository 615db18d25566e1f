/**
 * Makes Terraform adopt a thing that was made before it, by an `import` block in the synthesized stack.
 * It must never be CDKTF's own `importFrom`: that asks for a Terraform while synthesizing, which the laptop does not have.
 */
import { TerraformElement, type TerraformResource } from "cdktf";

/** One adopted resource; nothing happens once it is in the state, or when the stack is destroyed. */
export class Adoption extends TerraformElement {
  readonly #resource: TerraformResource;
  readonly #importId: string;

  /** `importId` is the resource's name as its provider's documentation of imports spells it. */
  constructor(resource: TerraformResource, importId: string) {
    super(resource, "adoption");
    this.#resource = resource;
    this.#importId = importId;
  }

  override toTerraform() {
    return { import: [{ to: this.#address(), id: this.#importId }] };
  }

  /** The same for `cdktf synth --hcl`. */
  override toHclTerraform() {
    const to = { value: this.#address(), type: "simple", storageClassType: "reference" };
    const id = { value: this.#importId, type: "simple", storageClassType: "string" };
    return { import: [{ to, id }] };
  }

  #address(): string {
    return `${this.#resource.terraformResourceType}.${this.#resource.friendlyUniqueId}`;
  }
}
