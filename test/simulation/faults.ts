// The faults of a simulation: which there are, how often they come, what they mean at each port, and how many there were.
// It must never bring a fault that the platform or the clients of the stores could not: see what each kind says.
import { outsideEffectMs } from "../../functions/domain/consumption.ts";
import { type DomainError, type ErrorCode, refuse } from "../../functions/domain/errors.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import type { Chance } from "./seeded-random.ts";

/** What may go wrong. */
export const faultKinds = [
  /** The process dies, with all that runs in it, and the call was never made. */
  "crash before",
  /** It dies when the call has taken effect. */
  "crash after",
  /** The call takes effect and its caller hears an error; at a commit it hears that the outcome is unknown. */
  "lost reply",
  /** The call takes no effect and its caller hears an error that says as little. */
  "refused",
  /** The call, the message, the task or the answer comes late: up to half a minute. */
  "delay",
  /** Whoever carries the call, the message, the task or the request brings it twice. */
  "duplicate",
  /** What was sent later arrives first. */
  "reorder",
  /** The process stands still for longer than any lease, and goes on as if nothing had been. */
  "stale lease",
  /** The process has a clock of its own. */
  "clock skew",
  /** Every record of the idempotency cache is gone. */
  "cache wipe",
  /** The cache answers nobody for a while: errors, or nothing at all. */
  "cache down",
  /** A queue loses all of its tasks. */
  "queue purge",
  /** A consumer answers nobody for up to an hour, so that messages end among the dead letters. */
  "consumer down",
] as const;

/** One kind. */
export type FaultKind = (typeof faultKinds)[number];

/** The faults of one simulation. */
export interface Faults {
  /** What happens to one call of a port; undefined for nothing. */
  atCall(port: PortName, method: string): FaultKind | undefined;
  /** Whether one of this kind happens where it is not a call that suffers it, in `share` of the cases while faults go on. */
  happens(kind: FaultKind, share: number): boolean;
  count(kind: FaultKind): void;
  /** Notes that a process suffered something. */
  disturb(worker: string): void;
  /** How often the processes of a function suffered something. */
  disturbances(name: string): number;
  /** From here on there are none. */
  stop(): void;
  isOver(): boolean;
  counts(): Readonly<Record<FaultKind, number>>;
  readonly chance: Chance;
}

/** Faults by chance. Each seed has a weather of its own: from some in a thousand calls to one in ten. */
export function faultsFrom(chance: Chance): Faults {
  const counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  const share = chance.one([0.004, 0.01, 0.02, 0.04, 0.1]);
  const disturbed = new Map<string, number>();
  let isOver = false;
  const count = (kind: FaultKind) => {
    counts[kind] += 1;
  };
  return {
    atCall: (port, method) => {
      if (isOver || !chance.happens(share)) return undefined;
      const kind = chance.one(callFaults);
      if (kind === "duplicate" && !(portRules[port].repeated as readonly string[]).includes(method)) return undefined;
      count(kind);
      return kind;
    },
    happens: (kind, kindShare) => {
      if (isOver || !chance.happens(kindShare)) return false;
      count(kind);
      return true;
    },
    count,
    disturb: (worker) => void disturbed.set(functionOf(worker), (disturbed.get(functionOf(worker)) ?? 0) + 1),
    disturbances: (name) => disturbed.get(name) ?? 0,
    stop: () => {
      isOver = true;
    },
    isOver: () => isOver,
    counts: () => ({ ...counts }),
    chance,
  };
}

/** Processes are numbered behind their function's name. */
function functionOf(worker: string): string {
  return worker.slice(0, worker.indexOf("#"));
}

/** What may happen at a call, as often as it stands here. */
const callFaults = [
  ...([
    "crash before",
    "crash before",
    "crash after",
    "crash after",
    "lost reply",
    "lost reply",
    "lost reply",
  ] as const),
  ...(["refused", "delay", "duplicate", "duplicate", "duplicate", "reorder", "stale lease"] as const),
];

/** Ports by name: what a caller hears when its call fails, and which calls their carriers may bring twice. */
const portRules = {
  // A transaction's commit is never sent twice without the server knowing it again; a blind insert is (facts on Spanner, 3).
  ledger: { unknown: ["insert", "transact"], failure: "store_unavailable", repeated: ["insert"] },
  outbox: { unknown: ["lease", "remove"], failure: "store_unavailable", repeated: ["remove"] },
  seals: { unknown: ["append"], failure: "store_unavailable", repeated: ["append"] },
  reconciliation: { unknown: ["record", "change"], failure: "store_unavailable", repeated: [] },
  operators: { unknown: ["advance"], failure: "store_unavailable", repeated: [] },
  stories: { unknown: [], failure: "store_unavailable", repeated: [] },
  balances: { unknown: [], failure: "store_unavailable", repeated: ["prune"] },
  accounts: { unknown: [], failure: "store_unavailable", repeated: [] },
  cache: { unknown: [], failure: "store_unavailable", repeated: ["claim", "replace"] },
  endpoints: { unknown: [], failure: "store_unavailable", repeated: ["commit"] },
  deliveries: { unknown: [], failure: "store_unavailable", repeated: ["create", "replace"] },
  health: { unknown: [], failure: "store_unavailable", repeated: ["write"] },
  consumers: { unknown: [], failure: "store_unavailable", repeated: ["put", "finish", "release"] },
  observations: { unknown: [], failure: "store_unavailable", repeated: ["record"] },
  deadLetters: { unknown: [], failure: "store_unavailable", repeated: ["record", "take", "settle"] },
  acquirer: {
    unknown: [],
    failure: "acquirer_unknown",
    repeated: ["authorize", "capture", "void", "refund", "voidKey"],
  },
  intentions: { unknown: [], failure: "store_unavailable", repeated: ["carryOut"] },
  publisher: { unknown: [], failure: "store_unavailable", repeated: ["publish"] },
  tasks: { unknown: [], failure: "store_unavailable", repeated: ["enqueue"] },
  mailer: { unknown: [], failure: "store_unavailable", repeated: [] },
  // What a receiver does is a value; `receivers.ts` has its own failures.
  egress: { unknown: [], failure: "store_unavailable", repeated: [] },
} as const satisfies Record<string, { unknown: readonly string[]; failure: ErrorCode; repeated: readonly string[] }>;

/** Name of a port. */
export type PortName = keyof typeof portRules;

/** How long a caller waits at most; what its call does later, it does unheard. Ports that are not named have no bound here. */
export const deadlinesMs: Partial<Record<PortName, number>> = {
  acquirer: defaultTimings.callTimeoutMs,
  // Past it the connection is closed, and then no mail is handed over.
  mailer: outsideEffectMs,
};

/** What the caller of a failed call hears. */
export function failureOf(port: PortName, method: string): DomainError {
  const { unknown, failure } = portRules[port];
  const isCommit = (unknown as readonly string[]).includes(method);
  return refuse(isCommit ? "commit_unknown" : failure, `The simulation let ${port}.${method} fail.`);
}
