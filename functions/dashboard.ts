/**
 * Entry of dashboard: reads the settings, puts the pages behind their front door, and registers them.
 * It must never be given a store of the payments API: what it shows of a merchant it asks for with the merchant's key.
 */
import { http } from "@google-cloud/functions-framework";
import { bigqueryHistory } from "./adapters/bigquery-history.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { merchantPayments } from "./adapters/payments-merchant.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracing } from "./adapters/trace-open.ts";
import { environmentNames, settingsIn } from "./config.ts";
import { crashTourIn, historyNamesIn, traceSettingsIn } from "./config-readers.ts";
import { dashboard } from "./edge/dashboard.ts";
import { cloudTraceUrl } from "./edge/dashboard-trace.ts";
import { shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";

const setting = settingsIn(process.env);

const seen = openTracing("dashboard", traceSettingsIn(process.env));

const handler = dashboard(
  seen.watch({
    api: merchantPayments({
      ...seen.onward,
      baseUrl: setting("paymentsUrl"),
      identityToken: identityTokenFor({ audience: process.env[environmentNames.paymentsAudience], clock: systemClock }),
    }),
    traceUrl: cloudTraceUrl(setting("project")),
    hasTour: crashTourIn(process.env),
    history: bigqueryHistory(historyNamesIn(process.env)),
    sessions: aesSecretBox(setting("dashboardSessionKey")),
    clock: systemClock,
    random: systemRandom,
    log: seen.log,
  }),
);

shutDownGracefully(installFrontDoor(handler, seen), { onDrained: () => seen.close() });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("dashboard", () => {});
