/**
 * The hash chain over the books: how bookings become the root of a seal, and what makes two chains differ.
 * It must never leave out anything that a booking says, nor let two different lists of bookings give the same bytes.
 */
import { createHash, type Hash } from "node:crypto";
import type { ExactTime } from "./exact-time.ts";
import type { LedgerEntry, LedgerTransaction } from "./ledger.ts";

/** One link: all bookings of a shard that were committed in an interval, in the order of their commits. Never changed. */
export interface LedgerSeal extends SealBeginning {
  /** How many bookings it holds, at least one. */
  readonly bookings: number;
  /** SHA-256 in hex over everything above it: the previous root, the interval, the bookings and their number. */
  readonly root: string;
}

/** What is known of a seal before its bookings are read. */
export interface SealBeginning {
  /** 0 to `sealShards - 1`. */
  readonly shard: number;
  /** 1, 2, … without a gap. */
  readonly number: number;
  /** Which rules made the bytes; see `sealEncoding`. */
  readonly encoding: number;
  /** Root of the seal before it; null for number 1. */
  readonly previousRoot: string | null;
  /** The interval: commits later than `after`, up to and with `until`. */
  readonly after: ExactTime;
  readonly until: ExactTime;
}

/** A booking as the store keeps it, with what the domain does not carry: exact times, and the numbers of its entries. */
export interface CommittedBooking {
  readonly booking: LedgerTransaction;
  readonly createdAt: ExactTime;
  readonly availableOn: ExactTime;
  readonly committedAt: ExactTime;
  /** One for each of the booking's entries, in their order. */
  readonly entries: readonly { readonly number: number; readonly committedAt: ExactTime }[];
}

/** How many chains there are: a commit's time leads no index, so bookings are spread by their key. */
export const sealShards = 8;

/**
 * The rules of this release. A column that is added later gives a new number, and old seals are still checked by theirs.
 * Every value is one field: a byte that says whether there is one, the length of its UTF-8 bytes in four, and the bytes.
 */
export const sealEncoding = 1;

/** A seal that bookings are added to, one by one and in order; nothing of them is kept but the hash. */
export function openSeal(beginning: SealBeginning): OpenSeal {
  const { shard, number, encoding, previousRoot, after, until } = beginning;
  const hash = createHash("sha256");
  addFields(hash, ["seal", encoding, shard, number, previousRoot, after, until]);
  let bookings = 0;
  return {
    add: (committed) => {
      addFields(hash, fieldsOf(committed));
      bookings += 1;
    },
    close: () => {
      addFields(hash, ["end", bookings]);
      return { ...beginning, bookings, root: hash.digest("hex") };
    },
  };
}

/** See `openSeal`. */
export interface OpenSeal {
  add(committed: CommittedBooking): void;
  /** To be called once, after the last booking. */
  close(): LedgerSeal;
}

/**
 * What is wrong with a seal in one sentence, or undefined.
 * @param previous the seal that was read before it in its shard; undefined for the first
 * @param recomputed the seal that today's bookings of its interval give
 */
export function sealProblem(
  previous: LedgerSeal | undefined,
  seal: LedgerSeal,
  recomputed: LedgerSeal,
): string | undefined {
  if (seal.number !== (previous?.number ?? 0) + 1) return `seal ${(previous?.number ?? 0) + 1} is missing before it`;
  if (seal.encoding !== sealEncoding) return `its encoding ${seal.encoding} is not known here`;
  if (seal.previousRoot !== (previous?.root ?? null)) return "it does not follow the seal before it";
  if (previous !== undefined && seal.after !== previous.until) return "its interval leaves out commits before it";
  if (seal.bookings !== recomputed.bookings) return `it sealed ${seal.bookings} bookings, ${recomputed.bookings} stand`;
  return seal.root === recomputed.root ? undefined : "its bookings are not what was sealed";
}

/** A root as it was written outside the database: in the logs, or by a person. */
export type SealAnchor = Pick<LedgerSeal, "shard" | "number" | "root">;

/** `SHARD:NUMBER:ROOT`, as the log line has it and a person gives it. */
export function anchorText({ shard, number, root }: SealAnchor): string {
  return `${shard}:${number}:${root}`;
}

/** The anchor in such a text; undefined for any other. */
export function parseAnchor(text: string): SealAnchor | undefined {
  const [, shard = "", number = "", root = ""] = /^([0-9]):([1-9][0-9]{0,8}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (root === "" || Number(shard) >= sealShards) return undefined;
  return { shard: Number(shard), number: Number(number), root };
}

/** What is sealed of a booking and of an entry, in this order; a field that is added to them does not compile until it is here. */
const bookingFields = {
  kind: true,
  sourceId: true,
  accountId: true,
  intentId: true,
  currency: true,
  payableMinor: true,
  feeMinor: true,
} as const satisfies Record<Exclude<keyof LedgerTransaction, "entries" | "createdAtMs" | "availableOnMs">, true>;
const entryFields = {
  ledgerAccount: true,
  direction: true,
  amountMinor: true,
} as const satisfies Record<keyof LedgerEntry, true>;

function fieldsOf({ booking, createdAt, availableOn, committedAt, entries: stored }: CommittedBooking): Field[] {
  const names = Object.keys(bookingFields) as (keyof typeof bookingFields)[];
  const entryNames = Object.keys(entryFields) as (keyof typeof entryFields)[];
  return [
    "booking",
    createdAt,
    availableOn,
    committedAt,
    ...names.map((name) => booking[name]),
    booking.entries.length,
    ...booking.entries.flatMap((entry, index) => [
      stored[index]?.number ?? null,
      stored[index]?.committedAt ?? null,
      ...entryNames.map((name) => entry[name]),
    ]),
  ];
}

type Field = string | number | bigint | null;

function addFields(hash: Hash, fields: readonly Field[]): void {
  for (const field of fields) {
    const bytes = Buffer.from(field === null ? "" : String(field), "utf8");
    const head = Buffer.alloc(5);
    head.writeUInt8(field === null ? 0 : 1, 0);
    head.writeUInt32BE(bytes.length, 1);
    hash.update(head).update(bytes);
  }
}
