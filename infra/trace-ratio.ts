/**
 * Which share of traces a stage records.
 * It must never be a number that surprises on the bill: a payment has about sixty spans.
 */
import { environmentNames } from "../functions/config.ts";

/**
 * TRACE_SAMPLE_RATIO of the environment, else what suits the stage.
 * @throws Error that names the variable whose value is not understood.
 */
export function traceSampleRatioOf(environment: Readonly<Record<string, string | undefined>>, stage: string): number {
  const value = environment[environmentNames.traceSampleRatio] || (stage === "prod" ? PROD_RATIO : "1");
  if (!/^(0|1|0\.[0-9]{1,6})$/.test(value)) throw new Error(`TRACE_SAMPLE_RATIO must be from 0 to 1, not ${value}.`);
  return Number(value);
}

/** A million payments a month make about three million spans at this share; where nobody pays, everything is recorded. */
const PROD_RATIO = "0.05";
