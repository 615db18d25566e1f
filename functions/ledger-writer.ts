/**
 * Entry of ledger-writer: reads the settings, opens the ledger, puts the writer behind its front door, and registers it.
 * It must never be open to the public: only its schedule's account may invoke it, and it checks that again itself.
 */
import { http } from "@google-cloud/functions-framework";
import { httpAcquirer } from "./adapters/acquirer.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerLedger } from "./adapters/spanner-ledger.ts";
import { spannerOperators } from "./adapters/spanner-operators.ts";
import { spannerReconciliation } from "./adapters/spanner-reconciliation.ts";
import { spannerSeals } from "./adapters/spanner-seals.ts";
import { jsonLog, systemClock, systemRandom } from "./adapters/system.ts";
import { environmentNames, ledgerTermsOf, requiredVariable } from "./config.ts";
import { shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { ledgerWriter } from "./edge/ledger-writer.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const spanner = openSpanner(
  { projectId: setting("project"), instance: setting("spannerInstance"), database: setting("spannerDatabase") },
  jsonLog,
);

const handler = ledgerWriter({
  ledger: spannerLedger(spanner),
  seals: spannerSeals(spanner),
  reconciliation: spannerReconciliation(spanner),
  operators: spannerOperators(spanner),
  acquirer: httpAcquirer({
    baseUrl: setting("acquirerUrl"),
    secret: setting("acquirerSecret"),
    identityToken: identityTokenFor({ audience: process.env[environmentNames.acquirerAudience], clock: systemClock }),
  }),
  clock: systemClock,
  random: systemRandom,
  log: jsonLog,
  callerAccount: setting("callerAccount"),
  terms: ledgerTermsOf(process.env),
});

const door = installFrontDoor(handler);
shutDownGracefully(door, { onDrained: () => spanner.close() });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("ledger-writer", () => {});
