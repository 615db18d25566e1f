// A merchant with two webhook endpoints, one that fails at first and one that wants no more: for the round through all grants.
// It must never answer anything else: each answer is there so that one grant of the dispatcher is needed.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { laptopKey } from "../../local/laptop-key.ts";

/** What became of a merchant's webhooks. */
export interface Webhooks {
  /** Status of the call that asked for a test event. */
  readonly tested: number;
  /** Events that reached the endpoint which refuses the first one: the repeat came through the slow queue. */
  readonly failing: number;
  /** Status of the endpoint that wants no more: switching it off is told by an event. */
  readonly gone: string;
}

/** The API as a merchant calls it. */
export interface MerchantApi {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The merchant's server on a free port of loopback. */
export async function openReceiver() {
  let failing = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === "/gone") return void response.writeHead(410).end();
    failing += 1;
    response.writeHead(failing === 1 ? 500 : 200).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failing: () => failing,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Makes both endpoints, and asks for a test event to the second one. */
export async function enroll(api: MerchantApi, baseUrl: string) {
  const make = async (path: string, type: string) => {
    const body = new URLSearchParams({ url: `${baseUrl}${path}`, "enabled_events[]": type });
    const answer = await post(api, "/v1/webhook_endpoints", body);
    return String(((await answer.json()) as { id?: string }).id);
  };
  // One bank debit is taken at once and one by the first sweep: two events, and the first of them is sent again.
  await make("/failing", "payment_intent.processing");
  const goneId = await make("/gone", "payment_intent.created");
  const test = await post(api, `/v1/webhook_endpoints/${goneId}/send_test_event`, new URLSearchParams());
  await test.text();
  return { tested: test.status, goneId };
}

/** Whether the endpoint still wants events. */
export async function statusOf({ baseUrl, headers }: MerchantApi, id: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/webhook_endpoints/${id}`, { headers });
  return String(((await answer.json()) as { status?: string }).status);
}

async function post({ baseUrl, headers }: MerchantApi, path: string, body: URLSearchParams): Promise<Response> {
  return await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": path + body },
    body,
  });
}

/** Signs in at the dashboard with the laptop's key, as its form does; true when its pages show a payment, and the payments of the day. */
export async function look(dashboardUrl: string, { "X-Serverless-Authorization": identity = "" }): Promise<boolean> {
  const headers = { "X-Serverless-Authorization": identity };
  const form = new URLSearchParams({ api_key: laptopKey });
  const signedIn = await fetch(`${dashboardUrl}/sign-in`, { method: "POST", headers, body: form, redirect: "manual" });
  await signedIn.text();
  const cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const page = await fetch(`${dashboardUrl}/payments`, { headers: { ...headers, Cookie: cookie } });
  const isListed = (await page.text()).includes('href="/payments/pi_');
  const overview = await fetch(`${dashboardUrl}/`, { headers: { ...headers, Cookie: cookie } });
  return (await overview.text()).includes("Payments per day") && isListed;
}
