/**
 * What a write wants that happens outside the ledger: the verb and its validated input, as the key row keeps them until the
 * outcome stands, so that somebody else can carry it out. It must never hold a secret: one is made when it is carried out.
 */
import type { EndpointChanges, EndpointInput } from "./webhook-endpoint.ts";

/** One of them; plain data, so that it can be written down as JSON. */
export type Intention =
  | { readonly verb: "create_endpoint"; readonly input: EndpointInput }
  | {
      readonly verb: "change_endpoint";
      readonly input: { readonly endpointId: string; readonly changes: EndpointChanges };
    }
  | { readonly verb: "delete_endpoint"; readonly input: { readonly endpointId: string } }
  | { readonly verb: "rotate_secret"; readonly input: SecretRotation }
  | { readonly verb: "send_test_event"; readonly input: { readonly endpointId: string } }
  | { readonly verb: "resend_delivery"; readonly input: { readonly deliveryId: string } }
  | { readonly verb: "redrive_delivery"; readonly input: { readonly deliveryId: string } };

/** A rotation as it is asked for. */
export interface SecretRotation {
  readonly endpointId: string;
  /** How long the secrets before it still sign, in milliseconds. */
  readonly overlapMs: number;
  /** The request's parameter that holds the overlap, for a refusal. */
  readonly param: string;
}

/** The use of an idempotency key that wants it: all that carrying it out depends on, so that every run makes the same. */
export interface IntendedUse {
  readonly keyHash: string;
  readonly accountId: string;
  readonly createdAtMs: number;
}
