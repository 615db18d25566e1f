// A deployed function: the processes behind one address, and what a caller hears of them.
// It must never lose a request silently: whoever called a process that died hears of a broken connection.
import type { WireHandler, WireRequest, WireResponse } from "../../functions/edge/wire.ts";
import { type Surroundings, startWorker, type Worker } from "./worker.ts";

/** What a caller hears: an answer, or that none came. */
export type Heard = WireResponse | "broken" | "late";

/** One function. */
export interface Service {
  /** Sends a request; `msMax` is how long the caller waits. */
  call(request: WireRequest, msMax: number): Promise<Heard>;
  /** New code is deployed: every process ends in order. */
  replace(): void;
}

/** One process of a function. */
export interface Process {
  readonly handler: WireHandler;
  /** What it does when it is asked to end. */
  readonly close?: () => Promise<void>;
}

/** How many processes of a function run at once; two are enough to meet each other. */
const processesMax = 2;

/** A function whose processes `open` makes. */
export function startService(around: Surroundings, name: string, open: (worker: Worker) => Process): Service {
  const { time, faults, tell } = around;
  let running: { readonly worker: Worker; readonly process: Process }[] = [];
  let started = 0;
  const take = () => {
    running = running.filter(({ worker }) => worker.isAlive());
    const isNew = running.length === 0 || (running.length < processesMax && faults.chance.happens(0.3));
    if (!isNew) return faults.chance.one(running);
    started += 1;
    const worker = startWorker(around, `${name}#${started}`);
    const one = { worker, process: open(worker) };
    running.push(one);
    return one;
  };
  return {
    call: (request, msMax) =>
      new Promise((resolve) => {
        const { worker, process } = take();
        const stopWatching = worker.onDeath(() => end("broken"));
        const stopWaiting = time.at(time.now() + msMax, () => end("late"));
        const end = (heard: Heard) => {
          stopWatching();
          stopWaiting();
          tell(
            () =>
              `${worker.name} ${request.method} ${request.target}: ${typeof heard === "string" ? heard : heard.status}`,
          );
          if (typeof heard !== "string" && heard.status === 500) {
            around.broken.push(`${name} answered 500 to ${request.method} ${request.target}: ${heard.body}`);
          }
          resolve(heard);
        };
        process.handler(request).then(end, (error) => {
          around.broken.push(`${name} threw ${String(error)} at ${request.method} ${request.target}`);
          end("broken");
        });
      }),
    replace: () => {
      for (const { worker, process } of running) {
        const end = () => worker.kill();
        if (process.close === undefined) end();
        else void process.close().then(end, end);
      }
      running = [];
    },
  };
}

/** True for an answer that says that the work is done. */
export function isDone(heard: Heard): boolean {
  return typeof heard !== "string" && heard.status >= 200 && heard.status < 300;
}

/** A request as the platform lets it arrive at a closed function: its token is checked and its signature taken off. */
export function platformRequest(host: string, account: string, path: string, body: object): WireRequest {
  const claims = { iss: "https://accounts.google.com", aud: `https://${host}`, email: account, email_verified: true };
  const token = Buffer.from(JSON.stringify({ ...claims, exp: 4_000_000_000 })).toString("base64url");
  return {
    method: "POST",
    target: path,
    headers: new Map([
      ["host", [host]],
      ["authorization", [`Bearer e30.${token}.SIGNATURE_REMOVED_BY_GOOGLE`]],
      ["content-type", ["application/json"]],
    ]),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}
