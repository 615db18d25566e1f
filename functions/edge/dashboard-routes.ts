/**
 * The pages of the dashboard and the forms on them: which path shows or changes what.
 * It must never hold a path that works without a session: those are in `dashboard.ts`.
 */
import { deadLettersPage, planPage, redrivePlan } from "./dashboard-dead-letters.ts";
import { deliveryPage, resendForm } from "./dashboard-delivery.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { findKey, keyPage, keysPage } from "./dashboard-keys.ts";
import { ledgerPage } from "./dashboard-ledger.ts";
import { overviewPage } from "./dashboard-overview.ts";
import type { Page } from "./dashboard-page.ts";
import { paymentPage } from "./dashboard-payment.ts";
import { paymentOfSearch, paymentsPage } from "./dashboard-payments.ts";
import { tourPage, walkTour } from "./dashboard-tour.ts";
import type { Visit } from "./dashboard-visit.ts";
import { endpointPage, sendTest, webhooksPage } from "./dashboard-webhooks.ts";

/** A page, or a form: what it changes, and the path where the browser goes on, or the page that says why nothing changed. */
export type DashboardRoute =
  | {
      readonly method: "GET";
      readonly path: RegExp;
      readonly page: (visit: Visit) => Promise<Page>;
      /** Where a query leads instead of the page. */
      readonly redirect?: (query: ReadField) => string | undefined;
    }
  | {
      readonly method: "POST";
      readonly path: RegExp;
      readonly change: (visit: Visit, form: ReadField) => Promise<string | Page>;
    };

/** The route of a method and a path, the id in it, and which methods the path has; those are none for an unknown path. */
export function findDashboardRoute(
  method: string,
  path: string,
): { readonly route: DashboardRoute | undefined; readonly id: string; readonly allowed: string } {
  const fitting = routes.filter((route) => route.path.test(path));
  const route = fitting.find((candidate) => candidate.method === method);
  const allowed = fitting.map((candidate) => (candidate.method === "GET" ? "GET, HEAD" : candidate.method)).join(", ");
  return { route, id: decodeURIComponent(route?.path.exec(path)?.[1] ?? ""), allowed };
}

const routes: readonly DashboardRoute[] = [
  { method: "GET", path: /^\/$/, page: overviewPage },
  { method: "GET", path: /^\/payments$/, page: paymentsPage, redirect: paymentOfSearch },
  { method: "GET", path: /^\/payments\/([^/]+)$/, page: paymentPage },
  { method: "GET", path: /^\/webhooks$/, page: webhooksPage },
  { method: "GET", path: /^\/webhooks\/([^/]+)$/, page: endpointPage },
  { method: "POST", path: /^\/webhooks\/([^/]+)\/test$/, change: sendTest },
  { method: "GET", path: /^\/deliveries\/([^/]+)$/, page: deliveryPage },
  { method: "POST", path: /^\/deliveries\/([^/]+)\/resend$/, change: resendForm },
  { method: "GET", path: /^\/dead-letters$/, page: deadLettersPage },
  { method: "GET", path: /^\/dead-letters\/plan$/, page: planPage },
  { method: "POST", path: /^\/dead-letters\/redrive$/, change: redrivePlan },
  { method: "GET", path: /^\/keys$/, page: keysPage },
  { method: "POST", path: /^\/keys$/, change: findKey },
  { method: "GET", path: /^\/keys\/([^/]+)$/, page: keyPage },
  { method: "GET", path: /^\/ledger$/, page: ledgerPage },
  { method: "GET", path: /^\/tour$/, page: tourPage },
  { method: "POST", path: /^\/tour$/, change: walkTour },
];
