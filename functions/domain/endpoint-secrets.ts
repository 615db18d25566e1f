/**
 * An endpoint's signing secrets as they are kept: JSON, sealed with the endpoint's id as the context.
 * It never shows one to anybody but the caller, who signs with it or shows it once.
 */
import type { SecretBox } from "./secret-box.ts";
import type { SigningSecret } from "./signature.ts";

/** The secrets, newest first, ended ones too. @throws Error when they were not sealed for this endpoint */
export function openSecrets(
  box: SecretBox,
  endpoint: { readonly id: string; readonly sealedSecrets: string },
): readonly SigningSecret[] {
  // Nobody but `sealSecrets` writes what the box opens.
  return JSON.parse(Buffer.from(box.open(endpoint.sealedSecrets, endpoint.id)).toString("utf8"));
}

/** The secrets, sealed. */
export function sealSecrets(box: SecretBox, endpointId: string, secrets: readonly SigningSecret[]): string {
  return box.seal(Buffer.from(JSON.stringify(secrets), "utf8"), endpointId);
}
