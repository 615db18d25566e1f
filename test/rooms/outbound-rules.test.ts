// Shows that no way of opening a connection passes the rule, and that what only looks like one does (F38).
// It must never read the real tree: test/rooms.test.ts does that.
import { outboundCalls } from "./outbound-rules.ts";
import { sourceOf } from "./source.ts";

const found = (path: string, text: string) => outboundCalls([sourceOf(path, text)]).length > 0;

const waysOut = [
  "await fetch(url)",
  "const send = fetch",
  "post({ fetch })",
  "globalThis.fetch(url)",
  'globalThis["fetch"](url)',
  "new WebSocket(url)",
  "const Socket = WebSocket",
  "new EventSource(url)",
  'http.request("https://x")',
  "https.get(url)",
  "net.connect(443)",
  "tls.connect(443)",
  "http2.connect(url)",
  'import net from "node:net"; new net.Socket().connect(443)',
  'import { Socket } from "node:net"',
  'import { lookup } from "node:dns"',
  'import { resolve4 } from "dns/promises"',
  'import dgram from "node:dgram"',
  'import { connect } from "node:tls"',
  'import { connect } from "http2"',
  'import { request } from "undici"',
  'import WebSocket from "ws"',
  'import { createTransport } from "nodemailer"',
  'const { createClient } = await import("@redis/client")',
  'import { execFile } from "node:child_process"',
  'import { Worker } from "node:worker_threads"',
  'import { createRequire } from "node:module"',
  'import { request } from "node:http"',
  'import { request as post } from "node:https"',
  'import { type Server, Agent } from "node:http"',
  'import web from "node:http"; web.request(url)',
  'import web from "node:https"; new web.Agent()',
  'import web from "node:http"; const { get } = web',
  'import web from "node:http"; web[method](url)',
  'import * as web from "node:https"; web.get(url)',
  'import web, { Server } from "node:http"; web.globalAgent',
  'export * from "node:http"',
  'const { request } = await import("node:https")',
  'const { lookup } = await import("node:dns")',
  "await import(name)",
  'await import("node:".concat(name))',
  'require("node:net")',
  'process.getBuiltinModule("node:net")',
  'process.binding("tcp_wrap")',
  'eval("fetch(url)")',
  'new Function("return fetch")',
];

describe("code that could open a connection", () => {
  test.each(waysOut)("is found: %s", (text) => {
    expect(found("functions/flows/a.ts", `${text};`)).toBe(true);
    expect(found("infra/a.ts", `${text};`)).toBe(text !== 'import { execFile } from "node:child_process"');
  });

  test.each(waysOut)("is allowed where the rule says so: %s", (text) => {
    expect(found("functions/adapters/egress.ts", `${text};`)).toBe(false);
    expect(found("functions/adapters/acquirer.ts", `${text};`)).toBe(false);
    expect(found("local/main.ts", `${text};`)).toBe(false);
  });
});

test.each([
  'import type { Socket } from "node:net";',
  'import type { IncomingMessage } from "node:http";',
  'import { createServer, type RequestListener } from "node:http";',
  'import http, { type Server } from "node:http"; http.createServer();',
  'import { randomBytes } from "node:crypto";',
  "cache.fetch(key); const port = { fetch: 1 }; const prefetch = 2;",
  'const text = "fetch(url)"; // fetch(url)',
  "const pattern = /fetch(url)/;",
  'await import("./b.ts");',
])("what opens none is not found: %s", (text) => {
  expect(found("functions/flows/a.ts", text)).toBe(false);
});
