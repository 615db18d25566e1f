/**
 * The ledger's tables in memory: primary keys, frozen rows and the order of commits.
 * It must never hand out or keep an object that somebody else can change, and never apply half a commit.
 */
import { DomainError, refuse } from "../../domain/errors.ts";
import { imbalanceMinor } from "../../domain/ledger.ts";
import type { Change, Tables } from "../../domain/rows.ts";

/** Empty tables. */
export function memoryTables(): MemoryTables {
  const stored = new Map<string, StoredRow>();
  let commits = 0;
  return {
    commits: () => commits,
    committedAt: (table, key) => stored.get(addressOf(table, key))?.commit ?? 0,
    row: (table, key) => {
      const found = stored.get(addressOf(table, key));
      return found && (frozenCopy(found.row) as never);
    },
    rows: (table) =>
      [...stored.values()].filter((each) => each.table === table).map(({ row }) => frozenCopy(row) as never),
    remove: (table, isRemoved) => {
      const prefix = addressOf(table, "");
      for (const address of [...stored.keys()].filter((each) => each.startsWith(prefix))) {
        if (isRemoved(address.slice(prefix.length))) stored.delete(address);
      }
    },
    commit: (changes) => {
      const staged = new Map<string, StoredRow | undefined>();
      const commit = commits + 1;
      for (const change of changes) {
        const address = addressOf(change.table, tableKey(change));
        if (change.op === "delete") {
          staged.set(address, undefined);
          continue;
        }
        const exists = staged.has(address) ? staged.get(address) !== undefined : stored.has(address);
        if (change.op === "insert" && exists) throw refuse("internal", `Row ${address} exists.`, { cause: rowExists });
        if (change.op === "update" && !exists) throw refuse("internal", `Row ${address} does not exist.`);
        staged.set(address, { table: change.table, row: change.row, commit });
      }
      commits = commit;
      for (const [address, row] of staged) {
        if (row === undefined) stored.delete(address);
        else stored.set(address, row);
      }
    },
  };
}

/** Tables with rows that cannot be changed from outside. */
export interface MemoryTables {
  /** How many commits there were. */
  commits(): number;
  /** Number of the commit that last wrote the row; 0 when there is no such row. */
  committedAt(table: keyof Tables, key: string): number;
  row<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined;
  /** All rows, in the order in which they were first written. */
  rows<T extends keyof Tables>(table: T): readonly Tables[T][];
  /** Takes rows of a table away; flows only ever add. */
  remove(table: keyof Tables, isRemoved: (key: string) => boolean): void;
  /**
   * Applies the changes (made by `preparedChanges`) in order, all or none.
   * @throws DomainError `internal` when an inserted row exists (see `isRowExists`) or an updated one does not
   */
  commit(changes: readonly Change[]): void;
}

/**
 * Changes as a store would take them: own copies, checked.
 * @throws Error for a booking out of balance, and for an update of a booking, a checkpoint or an event, which never change
 */
export function preparedChanges(changes: readonly Change[]): Change[] {
  for (const { op, table, row } of changes) {
    if (op === "update" && appendOnly.has(table)) {
      throw new Error(`Rows of ${table} never change.`);
    }
    if (table === "ledger_transactions" && imbalanceMinor(row.entries) !== 0n) {
      throw new Error(`Booking ${row.kind} ${row.sourceId} is out of balance.`);
    }
  }
  return changes.map((change) => frozenCopy(change) as Change);
}

/** True for the error of a commit that met a row it wanted to insert. */
export function isRowExists(error: unknown): boolean {
  return error instanceof DomainError && error.cause === rowExists;
}

/** The primary key of a change's row, as in `infra/schema.sql`. */
export function tableKey(change: Change): string {
  switch (change.table) {
    case "idempotency_keys":
      return change.row.keyHash;
    case "ledger_transactions":
      return `${change.row.kind}/${change.row.sourceId}`;
    case "balance_checkpoints":
      return `${change.row.accountId}/${change.row.currency}/${change.row.readAt}`;
    case "outbox":
      return change.row.eventId;
    default:
      return change.row.id;
  }
}

/** Rows that are only ever added. */
const appendOnly: ReadonlySet<keyof Tables> = new Set(["ledger_transactions", "balance_checkpoints", "events"]);

interface StoredRow {
  readonly table: keyof Tables;
  readonly row: Tables[keyof Tables];
  readonly commit: number;
}

const rowExists = "row exists";

function addressOf(table: keyof Tables, key: string): string {
  return `${table}/${key}`;
}

/**
 * A deep copy whose objects and arrays are frozen; bytes cannot be frozen, so they are copied each time. What was copied
 * before and holds no bytes is given as it is: nobody can change it.
 * @throws Error for what no column can hold, above all undefined
 */
export function frozenCopy(value: unknown): unknown {
  if (isPlain(value)) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (typeof value !== "object") throw new Error(`A ${typeof value} cannot be stored.`);
  if (unchangeable.has(value)) return value;
  const copy = Array.isArray(value) ? value.map(frozenCopy) : membersCopied(value);
  Object.freeze(copy);
  if (Object.values(copy).every((member) => isPlain(member) || unchangeable.has(member))) unchangeable.add(copy);
  return copy;
}

/** Copies that hold no bytes, at any depth. */
const unchangeable = new WeakSet<object>();

function isPlain(value: unknown): value is null | string | number | bigint | boolean {
  return value === null || ["string", "number", "bigint", "boolean"].includes(typeof value);
}

function membersCopied(value: object): object {
  const copy = {};
  for (const [name, member] of Object.entries(value)) {
    // Not an assignment: a client's own key may be `__proto__`.
    Object.defineProperty(copy, name, { value: frozenCopy(member), enumerable: true });
  }
  return copy;
}
