/**
 * A merchant's plan to redrive dead deliveries: which ones, in which state they were planned, and a hash over both.
 * It must never name a delivery twice, nor mean another one than the plan that was shown.
 */
import { createHash } from "node:crypto";

/** One dead delivery, and the redrive that opened the window in which it died; null in its first one. */
export interface PlannedRedrive {
  readonly deliveryId: string;
  readonly redriveId: string | null;
}

/** The plan. */
export interface RedrivePlan {
  /** By the deliveries' ids. */
  readonly lines: readonly PlannedRedrive[];
  /** 64 hexadecimal digits; the same deliveries in the same state give the same. */
  readonly hash: string;
}

/** Fifty: a form of 8 KiB, and a hundred calls of the API, half of what one key may send at once. */
export const plannedMax = 50;

/** The plan of these deliveries, in whatever order they come. */
export function planOf(lines: readonly PlannedRedrive[]): RedrivePlan {
  const sorted = [...lines].sort((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1));
  return { lines: sorted, hash: createHash("sha256").update(planText(sorted), "utf8").digest("hex") };
}

/** The plan's lines as one field of a form. */
export function planText(lines: readonly PlannedRedrive[]): string {
  return lines.map(({ deliveryId, redriveId }) => `${deliveryId}/${redriveId ?? ""}`).join(" ");
}

/** The plan in such a field, or undefined: too many lines, one of another form, one twice, or not what the hash says. */
export function planIn(text: string, hash: string): RedrivePlan | undefined {
  const parts = text.split(" ");
  if (parts.length > plannedMax) return undefined;
  const lines: PlannedRedrive[] = [];
  for (const part of parts) {
    const [, deliveryId, redriveId = ""] = /^(wd_\w{1,250})\/(rd_\w{1,250})?$/.exec(part) ?? [];
    if (deliveryId === undefined || lines.some((line) => line.deliveryId === deliveryId)) return undefined;
    lines.push({ deliveryId, redriveId: redriveId === "" ? null : redriveId });
  }
  const plan = planOf(lines);
  return plan.hash === hash ? plan : undefined;
}

/** The idempotency key of one line: whoever sends the plan twice redrives each delivery once. */
export function redriveKey({ hash }: RedrivePlan, { deliveryId }: PlannedRedrive): string {
  return `redrive ${hash} ${deliveryId}`;
}
