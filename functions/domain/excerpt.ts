/**
 * Turns the bytes of a stranger's answer into a short text that can stand in a log, a page or a table.
 * It never trusts a declared encoding and never fails: any bytes give some text.
 */
import { excerptLengthMax } from "./exchange.ts";

/**
 * The beginning of a body as inert text: read as UTF-8 with replacements, without control characters and without those
 * that change how the text around them is shown (direction marks, zero-width characters, private use); line breaks and tabs
 * become spaces. At most `excerptLengthMax` characters, never half of one.
 */
export function excerptOf(bytes: Uint8Array): string {
  // Four bytes are the longest character: no more than this many can matter.
  const text = new TextDecoder("utf-8").decode(bytes.subarray(0, excerptLengthMax * 4 * 2));
  const inert = text
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]/gu, "")
    .trim();
  return cut(inert);
}

function cut(text: string): string {
  if (text.length <= excerptLengthMax) return text;
  const short = text.slice(0, excerptLengthMax);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
