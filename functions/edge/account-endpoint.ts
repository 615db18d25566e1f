/**
 * The call that tells a key's account: the cheapest way to learn whether a key is good, and whose it is.
 * It never touches a store: the key was looked up before it came here.
 */

import type { Serve } from "./endpoint.ts";
import { readParameters } from "./read-parameters.ts";

/** The account on the wire; of the official client's type it has what this project knows. */
export interface WireAccount {
  readonly id: string;
  readonly object: "account";
}

/** `GET /v1/account`. */
export const showAccount: Serve = {
  kind: "read",
  read: async (_deps, { accountId, parameters }): Promise<WireAccount> => {
    readParameters(parameters, {});
    return { id: accountId, object: "account" };
  },
};
