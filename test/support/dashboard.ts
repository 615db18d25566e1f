// The dashboard beside a whole payments API in one process, without a socket, and a visitor with a cookie jar.
// It must never let the dashboard see the API's stores: all it shows came through the API with the visitor's key.

import { memoryHistory } from "../../functions/adapters/memory/history.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { dashboard } from "../../functions/edge/dashboard.ts";
import type { DashboardPorts } from "../../functions/edge/dashboard-visit.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import type { MerchantApi } from "../../functions/flows/dashboard-ports.ts";
import { intercept } from "./interception.ts";
import { apiKeys, openWorld } from "./world.ts";

/** A world with a dashboard in front of it. */
export type DashboardWorld = Awaited<ReturnType<typeof openDashboard>>;

/** Opens both. `changes` replace what the dashboard runs on. */
export async function openDashboard(changes: Partial<DashboardPorts> = {}) {
  const world = await openWorld();
  const api = intercept(merchantApiOver(world.handler));
  const past = memoryHistory();
  const history = intercept(past.history);
  const logged: string[] = [];
  const ports: DashboardPorts = {
    api: api.port,
    history: history.port,
    traceUrl: (traceId) => `https://traces.example/${traceId}`,
    hasTour: true,
    sessions: aesSecretBox(sessionKey),
    clock: world.clock,
    random: systemRandom,
    log: (severity, message, fields = {}) => void logged.push(JSON.stringify({ severity, message, ...fields })),
    ...changes,
  };
  const handler = dashboard(ports);
  return {
    world,
    api,
    history,
    archive: past.archive,
    ports,
    logged,
    handler,
    visitor: (host = "dashboard.example") => visitorOf(handler, host),
  };
}

/** A key for sessions that is not a secret at all. */
export const sessionKey = "a key for sessions in tests and not a secret";

/** The port over a payments API in the same process. */
export function merchantApiOver(handler: WireHandler): MerchantApi {
  return {
    call: async ({ apiKey, path, query = {}, send, headers = {} }) => {
      const search = new URLSearchParams(query).toString();
      const all = new Map<string, readonly string[]>([
        ["authorization", [`Bearer ${apiKey}`]],
        ["content-type", ["application/x-www-form-urlencoded"]],
        ...Object.entries(headers).map(([name, value]): [string, string[]] => [name.toLowerCase(), [value]]),
      ]);
      if (send !== undefined) all.set("idempotency-key", [send.idempotencyKey]);
      const answer = await handler({
        method: send === undefined ? "GET" : "POST",
        target: `${path}${search === "" ? "" : `?${search}`}`,
        headers: all,
        body: Buffer.from(send === undefined ? "" : new URLSearchParams(send.form).toString()),
      });
      if (answer.hangsUp) return { kind: "silent", reason: "unreachable" };
      return {
        kind: "answered",
        status: answer.status,
        body: JSON.parse(answer.body.toString("utf8")),
        requestId: answer.headers["Request-Id"] ?? null,
        isReplay: answer.headers["Idempotent-Replayed"] === "true",
      };
    },
  };
}

/** A page or a redirect as a test reads it. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Where a redirect leads; empty for a page. */
  readonly location: string;
}

/** A browser's part without one: it keeps the cookie, and sends what a page of this origin sends. */
function visitorOf(handler: WireHandler, host: string) {
  let cookie: string | undefined;
  const send = async (method: string, target: string, body = "", headers: Record<string, string> = {}) => {
    const all: Record<string, string> = { host, ...(cookie === undefined ? {} : { cookie }) };
    if (method === "POST") {
      Object.assign(all, { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" });
    }
    // An empty header is one that this browser does not send.
    const sent = Object.entries({ ...all, ...headers }).filter(([, value]) => value !== "");
    const entries = sent.map(([name, value]): [string, string[]] => [name, [value]]);
    const answer = await handler({ method, target, headers: new Map(entries), body: Buffer.from(body, "utf8") });
    const set = answer.headers["Set-Cookie"]?.split(";")[0];
    if (set !== undefined) cookie = set.endsWith("=") ? undefined : set;
    const seen: Seen = {
      status: answer.status,
      headers: answer.headers,
      text: answer.body.toString("utf8"),
      location: answer.headers["Location"] ?? "",
    };
    return seen;
  };
  const get = (target: string, headers?: Record<string, string>) => send("GET", target, "", headers);
  const post = (target: string, form: Record<string, string>, headers?: Record<string, string>) =>
    send("POST", target, new URLSearchParams(form).toString(), headers);
  return {
    send,
    get,
    post,
    cookie: () => cookie,
    keepCookie: (text: string | undefined) => {
      cookie = text;
    },
    signIn: (apiKey: string = apiKeys.first) => post("/sign-in", { api_key: apiKey }),
    /** The proof that a form of this session carries. */
    formToken: async () => /name="form_token" value="([\w-]+)"/.exec((await get("/payments")).text)?.[1] ?? "",
  };
}
