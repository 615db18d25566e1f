// `npm run check:bundle`: what is deployed is what is tested. Builds the bundles, looks inside, starts payments-api under
// functions-framework and asks it. It must never need an account or a network: the first answers touch no store.
import process from "node:process";
import type { Metafile } from "esbuild";
import { forbiddenInputs, foreignImports } from "./build/bundle-contents.ts";
import { productionEnvironment } from "./build/production-environment.ts";
import { sizeLine } from "./build/report.ts";
import { type StartedBundle, startBundle } from "./build/start-bundle.ts";
import { buildFunctions } from "./build.ts";

/**
 * Largest bundles in bytes, a tenth above what they were on 2026-11-29: whoever adds a package sees it here, and decides. A
 * client that is new in a bundle is some 500,000 bytes and 100 ms of each cold start.
 */
const bytesMax: Readonly<Record<string, number>> = { "payments-api": 3_200_000, "ledger-writer": 2_400_000 };
/** The others have Firestore's client at most, and one more library. */
const bytesMaxOfOthers = 2_000_000;
/** What payments-api loads before its door is open; clients of stores come later. */
const doorBytesMax = 100_000;

const results = { passed: 0, failed: 0 };

/**
 * Requests without a key that must be refused in JSON, although the framework by itself would answer some of them with
 * an HTML page. Two statuses stand where the order of the checks does not matter here.
 */
const refused: readonly { title: string; statuses: readonly number[]; path: string; init: RequestInit }[] = [
  {
    title: "a request without a key",
    statuses: [401],
    path: "/v1/payment_intents",
    init: form("amount=100&currency=eur"),
  },
  { title: "broken JSON", statuses: [400, 401], path: "/v1/payment_intents", init: json("{") },
  { title: "an unknown charset", statuses: [401, 415], path: "/v1/payment_intents", init: json("{}", "utf-99") },
  {
    title: "a bad escape in the body",
    statuses: [400, 401],
    path: "/v1/payment_intents",
    init: form("amount=%E0%A4%A"),
  },
  { title: "1,001 parameters", statuses: [400, 401], path: "/v1/payment_intents", init: form("a=1&".repeat(1001)) },
  { title: "a bad escape in the path", statuses: [400, 404], path: "/v1/%E0%A4%A", init: {} },
  { title: "a compressed body", statuses: [415], path: "/v1/payment_intents", init: compressed() },
  { title: "a body over 1 MiB", statuses: [413], path: "/v1/payment_intents", init: form("a".repeat(1_048_577)) },
  { title: "an unknown route", statuses: [401, 404], path: "/v1/nothing", init: {} },
  { title: "a favicon", statuses: [404], path: "/favicon.ico", init: {} },
];

for (const { name, folder, metafile } of await buildFunctions()) {
  console.log(sizeLine(name, folder, metafile));
  check(`${name} holds nothing of infrastructure, laptop, scripts or tests`, forbiddenInputs(metafile).join(", "));
  check(`${name} imports nothing but Node and the framework`, foreignImports(metafile).join(", "));
  check(`${name} is no larger than its budget`, sizeFault(name, metafile));
  if (name === "payments-api") await checkRunning(name, folder);
}
console.log(`${results.passed} passed, ${results.failed} failed`);
process.exitCode = results.failed === 0 ? 0 : 1;

function sizeFault(name: string, { outputs }: Metafile): string {
  const sizes = Object.entries(outputs).map(([file, { bytes }]) => ({ isDoor: file.endsWith("/index.js"), bytes }));
  const [whole, door] = [sizes, sizes.filter(({ isDoor }) => isDoor)].map((files) =>
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  ) as [number, number];
  const wholeMax = bytesMax[name] ?? bytesMaxOfOthers;
  if (whole > wholeMax) return `${whole} bytes, at most ${wholeMax}`;
  if (name === "payments-api" && door > doorBytesMax) return `its door has ${door} bytes, at most ${doorBytesMax}`;
  return "";
}

async function checkRunning(name: string, folder: string): Promise<void> {
  const environment = productionEnvironment();
  let started: StartedBundle;
  try {
    started = await startBundle({ name, folder, environment });
  } catch (error) {
    return check(`${name} starts`, String(error));
  }
  console.log(`${name}: first answer ${Math.round(started.coldStartMs)} ms after process start`);
  try {
    const health = await fetch(`${started.baseUrl}/health`);
    check("GET /health answers 200", health.status === 200 ? "" : `it answered ${health.status}`);
    for (const request of refused) check(`${request.title} is refused in JSON`, await faultOf(started, request));
  } finally {
    const { code, signal, stopMs } = await started.stop();
    const graceful = code === 0 && signal === null;
    check(`SIGTERM ends it in ${Math.round(stopMs)} ms`, graceful ? "" : `code ${code}, signal ${signal}`);
  }
}

async function faultOf(started: StartedBundle, request: (typeof refused)[number]): Promise<string> {
  try {
    const response = await fetch(`${started.baseUrl}${request.path}`, request.init);
    const body = await response.text();
    if (!request.statuses.includes(response.status)) return `status ${response.status}: ${body.slice(0, 200)}`;
    return "error" in (JSON.parse(body) as object) ? "" : `no error object: ${body.slice(0, 200)}`;
  } catch (error) {
    return `${error}; the function said: ${started.output().slice(-500)}`;
  }
}

function check(title: string, fault: string): void {
  results[fault === "" ? "passed" : "failed"] += 1;
  console.log(fault === "" ? `ok: ${title}` : `FAILED: ${title}: ${fault}`);
}

function form(body: string): RequestInit {
  return { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } };
}

function json(body: string, charset = "utf-8"): RequestInit {
  return { method: "POST", body, headers: { "content-type": `application/json; charset=${charset}` } };
}

function compressed(): RequestInit {
  return {
    method: "POST",
    body: "not gzip",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  };
}
