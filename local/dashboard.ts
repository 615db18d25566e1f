// How the merchants' dashboard is put together on the laptop.
// It must never give it a store of the platform's: all it knows of a merchant comes over HTTP, with the merchant's key.

import { merchantPayments } from "../functions/adapters/payments-merchant.ts";
import { aesSecretBox } from "../functions/adapters/secret-box.ts";
import type { Tracing } from "../functions/adapters/trace-open.ts";
import { environmentNames, requiredVariable } from "../functions/config.ts";
import { crashTourIn } from "../functions/config-readers.ts";
import { dashboard } from "../functions/edge/dashboard.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { History } from "../functions/flows/history-ports.ts";
import type { Clock, Log, Random } from "../functions/flows/ports.ts";

type Making = {
  history: History;
  identityToken: (audience: string) => string;
  environment: Record<string, string>;
  machine: { clock: Clock; random: Random; log: Log };
  tracing: Tracing;
};

/** The dashboard as its entry puts it together with the real adapters. */
export const dashboardMakers = {
  dashboard: ({ history, identityToken, environment, machine, tracing }: Making): WireHandler => {
    const audience = environment[environmentNames.paymentsAudience];
    return dashboard({
      ...machine,
      history,
      api: merchantPayments({
        ...tracing.onward,
        baseUrl: requiredVariable(environment, environmentNames.paymentsUrl),
        identityToken: audience === undefined ? undefined : async () => identityToken(audience),
      }),
      // Whoever looks on a laptop has the console of no project.
      traceUrl: () => null,
      hasTour: crashTourIn(environment),
      sessions: aesSecretBox(requiredVariable(environment, environmentNames.dashboardSessionKey)),
    });
  },
};
