// Finds code that could open a connection outside the few files that may (F38): calls, modules, and ways around both.
// It must never depend on a name that a file chooses itself: a renamed import or an alias is found as well.
import type { Source } from "./source.ts";

/**
 * The only deployed files that may open a connection of their own: to the acquirer, to the dispatcher, to merchants, to the own metadata server,
 * to the mail server, to the cache's server, to the collector of traces, and from the sample shop and the dashboard, which call it as merchants, to the
 * payments API.
 */
const outboundFiles = [
  ...["acquirer", "egress", "egress-names", "identity-token", "smtp-mailer", "payments-call", "redis-client"],
  "trace-exporter",
  "intentions",
].map((name) => `functions/adapters/${name}.ts`);

/** Modules that open connections or start programs that can; nothing of them is harmless enough to be imported. */
const outboundModules = [
  ...["net", "tls", "dns", "dns/promises", "dgram", "http2", "child_process", "worker_threads", "cluster"],
  ...[
    "inspector",
    "module",
    "vm",
    "undici",
    "ws",
    "node-fetch",
    "axios",
    "got",
    "gaxios",
    "nodemailer",
    "@redis/client",
  ],
];

/** Infrastructure runs on the operator's machine and asks the operating system about it; it still calls nobody. */
const infraModules = ["child_process"];

/** What a server needs of `http` and `https`; the rest of them is for clients. */
const serverNames = ["createServer", "Server", "ServerResponse", "IncomingMessage", "STATUS_CODES", "METHODS"];

/** Deployed or infrastructure code that could open connections outside the allow-list, one readable line each. */
export function outboundCalls(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => /^(?:functions|infra)\//.test(path) && !outboundFiles.includes(path))
    .flatMap((source) => [...calls(source), ...modules(source), ...clientsOfHttp(source)]);
}

function calls({ path, code }: Source): string[] {
  const patterns = [
    // Any mention of a global that calls out: an alias of it is as good as a call. A property of that name is none.
    /(?<![\w.$])fetch\b(?!\s*\??:)/g,
    /(?<![\w.$])(?:WebSocket|EventSource|XMLHttpRequest)\b/g,
    /\bhttps?\.(?:request|get)\s*\(|\bhttp2\.connect\s*\(|\b(?:net|tls)\.connect\s*\(/g,
    // The ways around an import.
    /\bglobalThis\b|\bcreateRequire\b|(?<![\w.$])(?:require|eval)\s*\(|\bnew\s+Function\b/g,
    /\bprocess\.(?:binding|getBuiltinModule|dlopen)\b/g,
    /\bimport\s*\(\s*(?!(["']) *\1\s*[,)])/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => `${path} calls ${match[0].trim()}…`));
}

function modules({ path, imports }: Source): string[] {
  const forbidden = imports.filter(({ target, typeOnly }) => {
    const name = target.replace(/^node:/, "");
    return !typeOnly && outboundModules.includes(name) && !(path.startsWith("infra/") && infraModules.includes(name));
  });
  return forbidden.map(({ target }) => `${path} imports ${target}`);
}

/** What a file takes from `http` or `https` beyond a server, by name or through the whole module. */
function clientsOfHttp({ path, text, code }: Source): string[] {
  const imported = /\b(?:import|export)\s+([^;"']*?)\s*from\s*(["'])( *)\2|\bimport\s*\(\s*(["'])( *)\4/g;
  return [...code.matchAll(imported)].flatMap((match) => {
    const start = match.index + match[0].search(/["']/) + 1;
    const target = text.slice(start, start + (match[3] ?? match[5] ?? "").length);
    if (!/^(?:node:)?https?$/.test(target)) return [];
    const clause = match[1] ?? "*";
    if (/^type\b/.test(clause)) return [];
    const names = (/\{([^}]*)\}/.exec(clause)?.[1] ?? "").split(",").map((name) => name.trim());
    const clients = names.filter((name) => name !== "" && !/^type\s/.test(name) && !serverNames.includes(name));
    const whole = clause
      .replace(/\{[^}]*\}/, "")
      .match(/\w+/g)
      ?.at(-1);
    const uses = whole === undefined ? [] : usesOfModule(code, whole);
    // A dynamic import or a re-export of everything has no name to look for.
    const blind = clause.includes("*") && whole === undefined ? ["everything"] : [];
    return [...clients, ...uses, ...blind].map((name) => `${path} takes ${name} from ${target}`);
  });
}

/** Members of a module that are read through its name, and the name itself where it is handed on. */
function usesOfModule(code: string, name: string): string[] {
  const members = [...code.matchAll(new RegExp(`(?<![\\w.$])${name}\\.(\\w+)`, "g"))].map((match) => match[1] ?? "");
  const handedOn = new RegExp(`[=(,:[]\\s*${name}\\b(?!\\s*\\.)|(?<![\\w.$])${name}\\s*\\[`).test(code);
  return [...members.filter((member) => !serverNames.includes(member)), ...(handedOn ? ["everything"] : [])];
}
