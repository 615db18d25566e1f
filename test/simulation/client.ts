// A merchant's client of the payments API: it asks again under the same key, asks twice at once, and mixes bodies up.
// It must never judge an answer: it writes down all that it hears, and others hold it against each other.
import type { WireRequest } from "../../functions/edge/wire.ts";
import type { Chance } from "./seeded-random.ts";
import type { Service } from "./service.ts";
import type { Surroundings } from "./worker.ts";

/** A request that a client may send any number of times. */
export interface Asked {
  /** The merchant's API key. */
  readonly apiKey: string;
  readonly key: string;
  readonly path: string;
  readonly form: string;
  /** True for a request that uses a key again which has ended: it has nothing to do with the first one. */
  readonly isReuse?: boolean;
}

/** An answer that a client heard. */
export interface Answer {
  readonly asked: Asked;
  readonly atMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Byte for byte. */
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire holds; an oracle that reads a wrong path finds nothing.
  readonly json: any;
  /** It stands under its key: a repetition has to hear the same. */
  readonly isFinal: boolean;
}

/** A client. */
export interface Client {
  /** Asks until there is an answer that asking again would not change; undefined when its patience ends before. */
  ask(asked: Asked, patience?: number): Promise<Answer | undefined>;
  /** One try. */
  once(asked: Asked): Promise<Answer | undefined>;
  get(apiKey: string, target: string): Promise<Answer | undefined>;
  readonly answers: readonly Answer[];
}

/** How long the official client waits for an answer. */
const waitMs = 80_000;

/** A client of a function. */
export function openClient({ time, faults, tell }: Surroundings, api: Service, chance: Chance): Client {
  const answers: Answer[] = [];
  const send = async (request: WireRequest, asked: Asked): Promise<Answer | undefined> => {
    const heard = await api.call(request, waitMs);
    if (typeof heard === "string") return undefined;
    const body = heard.body.toString("utf8");
    const json = body.startsWith("{") ? JSON.parse(body) : {};
    const isFinal = heard.headers["Original-Request"] !== undefined;
    return { asked, atMs: time.now(), status: heard.status, headers: heard.headers, body, json, isFinal };
  };
  const once = async (asked: Asked) => {
    const answer = await send(post(asked), asked);
    if (answer !== undefined) {
      answers.push(answer);
      tell(() => `client ${asked.key} heard ${answer.status} ${answer.json.status ?? answer.json.error?.code ?? ""}`);
    }
    return answer;
  };
  return {
    answers,
    once,
    ask: async (asked, patience = 12) => {
      // The same request on two connections, as a proxy or an impatient buyer sends it.
      if (faults.happens("duplicate", 0.1)) time.at(time.now() + chance.whole(0, 300), () => void once(asked));
      for (let tried = 1; tried <= patience; tried += 1) {
        const answer = await once(asked);
        if (answer !== undefined && !isTransient(answer)) return answer;
        await time.sleep(Math.min(500 * 2 ** tried, 60_000) * (0.5 + chance.unit()));
      }
      return undefined;
    },
    get: (apiKey, target) =>
      send(
        {
          method: "GET",
          target,
          headers: new Map([
            ["host", ["api.example"]],
            ["authorization", [`Bearer ${apiKey}`]],
          ]),
          body: Buffer.alloc(0),
        },
        { apiKey, key: "", path: target, form: "" },
      ),
  };
}

function isTransient({ status }: Answer): boolean {
  return status >= 500 || status === 409 || status === 429;
}

function post({ apiKey, key, path, form }: Asked): WireRequest {
  return {
    method: "POST",
    target: path,
    headers: new Map([
      ["host", ["api.example"]],
      ["authorization", [`Bearer ${apiKey}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
      ["idempotency-key", [key]],
    ]),
    body: Buffer.from(form, "utf8"),
  };
}
