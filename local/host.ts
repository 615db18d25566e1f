// What a running laptop is to the rest of `local/`, whatever its stores are.
// It holds a type and nothing else.

import type { FunctionName } from "../functions/config.ts";
import type { Accounts, Ledger } from "../functions/flows/ports.ts";
import type { LedgerSeals } from "../functions/flows/seal-ports.ts";
import type { Platform } from "./platform.ts";

/** Running functions. */
export type Host = {
  /** Base URL of each function, without a trailing slash. */
  addresses: ReadonlyMap<FunctionName, string>;
  /** What plays the platform around them. */
  platform: Platform;
  /** The accounts and keys that payments-api knows. */
  accounts: Accounts;
  /** The ledger beneath them, for verifying. */
  ledger: Ledger;
  /** The chain over it. */
  seals: LedgerSeals;
  /** Resolves, with the reason for people, when a part that nothing works without has ended by itself. */
  lost: Promise<string>;
  /** Ends everything that was started. May be called twice. */
  stop(): Promise<void>;
};
