// The clock of the runs: the machine's own, moved on by hand, so that leases end and schedules come round at once.
// It must never go back: stores and clients have seen its times.
import { systemClock } from "../../functions/adapters/system.ts";
import type { Clock } from "../../functions/flows/ports.ts";

/** A clock that runs and can be moved on. */
export interface MovedClock extends Clock {
  moveOn(milliseconds: number): void;
}

/** Starts at the machine's time. */
export function movedClock(): MovedClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    sleep: systemClock.sleep,
    after: systemClock.after,
    moveOn: (milliseconds) => {
      aheadMs += milliseconds;
    },
  };
}

/** What Cloud Run leaves of a platform's token: the claims, and no signature. */
export function platformToken(host: string, account: string): string {
  const claims = { iss: "https://accounts.google.com", aud: `https://${host}`, email: account, email_verified: true };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `Bearer ${part({ alg: "RS256" })}.${part({ ...claims, exp: 9_999_999_999 })}.SIGNATURE_REMOVED_BY_GOOGLE`;
}
