/**
 * The sealing: turns all bookings that were committed since the last seal into the next one, shard by shard, and tells
 * each root to the log. It must never seal a time to which a commit can still come, nor change a seal that stands.
 */
import { refuse } from "../domain/errors.ts";
import { beforeAllCommits } from "../domain/exact-time.ts";
import {
  anchorText,
  type CommittedBooking,
  type LedgerSeal,
  openSeal,
  sealEncoding,
  sealShards,
} from "../domain/seal.ts";
import type { Clock, Log } from "./ports.ts";
import type { LedgerSeals, SealMoment } from "./seal-ports.ts";

/** What sealing needs. */
export interface SealDependencies {
  readonly seals: LedgerSeals;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a run went; it goes into one log line. */
export interface Sealing {
  readonly seals: number;
  readonly bookings: number;
}

/**
 * One run over all shards. Everything is read at one moment, which ends the intervals: a commit gets a later time than
 * any moment that was read before it, so nothing slips behind a seal. Where another run was faster, this one does nothing.
 * @throws DomainError `store_unavailable` when it takes too long: what is left, the next run seals
 */
export async function sealLedger(deps: SealDependencies): Promise<Sealing> {
  const untilMs = deps.clock.now() + jobMsMax;
  return await deps.seals.atOneMoment("seal-ledger", async (moment) => {
    let [seals, bookings] = [0, 0];
    for (let shard = 0; shard < sealShards; shard += 1) {
      let previous = await moment.last(shard);
      for (;;) {
        if (deps.clock.now() > untilMs) throw refuse("store_unavailable", `It took longer than ${jobMsMax} ms.`);
        const seal = await nextSeal(moment, shard, previous);
        if (seal === undefined || (await deps.seals.append(seal)) === "exists") break;
        tellRoot(deps.log, seal);
        [seals, bookings, previous] = [seals + 1, bookings + seal.bookings, seal];
      }
    }
    return { seals, bookings };
  });
}

/** Bookings that end a seal: a few megabytes, read and hashed again by each verification in a second or two. */
export const sealBookingsMax = 5_000;

/** Bookings of one page. */
const pageRows = 500;

/** A job's time: its function ends after 240 s. */
const jobMsMax = 200_000;

/** The line that carries a root out of the database, into the archive of the logs. */
function tellRoot(log: Log, seal: LedgerSeal): void {
  const { shard, number, bookings, after, until } = seal;
  log("INFO", "ledger sealed", { anchor: anchorText(seal), shard, number, bookings, after, until });
}

/** The next seal of a shard; undefined when nothing was booked since. */
async function nextSeal(
  moment: SealMoment,
  shard: number,
  previous: LedgerSeal | undefined,
): Promise<LedgerSeal | undefined> {
  const after = previous?.until ?? beforeAllCommits;
  const taken = await takeBookings(moment, { shard, after });
  const last = taken.bookings.at(-1);
  if (last === undefined) return undefined;
  const open = openSeal({
    shard,
    number: (previous?.number ?? 0) + 1,
    encoding: sealEncoding,
    previousRoot: previous?.root ?? null,
    after,
    until: taken.isAll ? moment.readAt : last.committedAt,
  });
  for (const committed of taken.bookings) open.add(committed);
  return open.close();
}

/** All bookings up to the moment, or so many that are enough for a seal, never half of those with the same time. */
async function takeBookings(
  moment: SealMoment,
  { shard, after }: { readonly shard: number; readonly after: string },
): Promise<{ readonly bookings: readonly CommittedBooking[]; readonly isAll: boolean }> {
  const bookings: CommittedBooking[] = [];
  for (;;) {
    const cursor = bookings.at(-1) ?? null;
    const page = await moment.bookings({ shard, after, until: moment.readAt, cursor }, pageRows);
    for (const committed of page) {
      const isEnough = bookings.length >= sealBookingsMax && committed.committedAt !== bookings.at(-1)?.committedAt;
      if (isEnough) return { bookings, isAll: false };
      bookings.push(committed);
    }
    if (page.length < pageRows) return { bookings, isAll: true };
  }
}
