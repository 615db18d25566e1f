/**
 * What an endpoint of the payments API is given: who calls, with which parameters, and what it may use.
 * It holds types only.
 */
import type { Clock, Ledger, Random, Renderer } from "../flows/ports.ts";
import type { ParameterMap } from "./parameter-tree.ts";

/** What an endpoint is given. */
export interface Call {
  readonly accountId: string;
  /** Id from the path; empty when the path has none. */
  readonly id: string;
  readonly parameters: ParameterMap;
}

/** What endpoints need. */
export interface EndpointDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly renderer: Renderer;
}
