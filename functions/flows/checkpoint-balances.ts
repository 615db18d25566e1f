/**
 * Moves the checkpoints of balances forward, so that a balance is never more than a few minutes of bookings to add up.
 * It never changes a checkpoint, and a balance is the same with it and without it.
 */
import { checkpointOf } from "../domain/balance.ts";
import { reasonOf } from "../domain/errors.ts";
import type { Change } from "../domain/rows.ts";
import type { Balances } from "./balance-ports.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What it needs. */
export interface CheckpointDependencies {
  readonly ledger: Pick<Ledger, "insert">;
  readonly balances: Balances;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a run went; the numbers go into one log line. */
export interface CheckpointRun {
  /** Accounts that got a checkpoint. */
  readonly accounts: number;
  /** Accounts that another run was faster with, or that failed: the next run looks at them again. */
  readonly left: number;
}

/**
 * One run over the accounts that are most behind. Two runs at once, or one that ends half way, do no harm: a checkpoint is
 * what was booked up to a moment that nobody can change any more, and is keyed by that moment.
 */
export async function checkpointBalances(deps: CheckpointDependencies): Promise<CheckpointRun> {
  const untilMs = deps.clock.now() + jobMsMax;
  const behind = await deps.balances.behind(accountsMax);
  let accounts = 0;
  for (const accountId of behind) {
    if (deps.clock.now() > untilMs) break;
    if (await moveForward(deps, accountId)) accounts += 1;
  }
  return { accounts, left: behind.length - accounts };
}

/** Accounts of one run: at four round trips each they take a minute or two, and its function ends after four. */
const accountsMax = 2_000;

/** A job's time: its function ends after 240 s. */
const jobMsMax = 200_000;

/** Days that have passed for more than this many milliseconds are summed up: by then they have passed on every clock. */
const foldAfterMs = 24 * 60 * 60 * 1000;

async function moveForward(deps: CheckpointDependencies, accountId: string): Promise<boolean> {
  try {
    const moment = await deps.balances.moment(accountId);
    if (moment.tail.length === 0) return false;
    const rows = checkpointOf(accountId, moment, deps.clock.now() - foldAfterMs);
    const changes = rows.map((row): Change => ({ op: "insert", table: "balance_checkpoints", row }));
    const inserted = await deps.ledger.insert("checkpoint", changes);
    // The one that this one was made from stays, for whoever is making another one from it.
    const [before] = moment.checkpoint;
    if (before !== undefined) await deps.balances.prune(accountId, before.readAt);
    return inserted === "inserted";
  } catch (error) {
    deps.log("WARNING", "checkpoint not made", { accountId, reason: reasonOf(error) });
    return false;
  }
}
