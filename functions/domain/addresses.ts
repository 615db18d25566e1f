/**
 * Tells public addresses from those that a webhook never goes to.
 * It never lets through what it cannot read: an unknown spelling is refused, not guessed.
 */
import { type Range, specialIpv4, specialIpv6 } from "./special-addresses.ts";

/**
 * Why an address is not dialled, or null for a public one. Reads what resolvers and URL parsers give: four decimal numbers,
 * or an IPv6 address in any of the forms of RFC 4291; everything else is "not an address".
 */
export function refusalOfAddress(address: string): string | null {
  const parsed = parseAddress(address);
  if (parsed === null) return "not an address";
  const rules = parsed.bits === 32 ? ipv4Rules : ipv6Rules;
  const rule = rules.find((candidate) => isInside(parsed, candidate));
  if (rule !== undefined) return rule.reason;
  return parsed.bits === 128 && !isInside(parsed, publicIpv6) ? "outside the public addresses (RFC 4291)" : null;
}

/** True for addresses of this machine: 127.0.0.0/8 and ::1. */
export function isLoopback(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && (isInside(parsed, loopbackIpv4) || isInside(parsed, loopbackIpv6));
}

/** True for text that `refusalOfAddress` can read as an address, public or not. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== null;
}

interface Address {
  readonly value: bigint;
  readonly bits: 32 | 128;
}

interface Rule extends Address {
  readonly prefixLength: number;
  readonly reason: string;
}

const ipv4Rules = specialIpv4.map(ruleOf);
const ipv6Rules = specialIpv6.map(ruleOf);
const loopbackIpv4 = ruleOf(["127.0.0.0/8", ""]);
const loopbackIpv6 = ruleOf(["::1/128", ""]);
const publicIpv6 = ruleOf(["2000::/3", ""]);

/** @throws Error for a row that is no range, at the module's start */
function ruleOf([prefix, reason]: Range): Rule {
  const [text = "", length = ""] = prefix.split("/");
  const address = parseAddress(text);
  const prefixLength = Number(length);
  if (address === null || !/^\d+$/.test(length) || prefixLength > address.bits) throw new Error(`No range: ${prefix}`);
  return { ...address, prefixLength, reason };
}

function isInside(address: Address, rule: Rule): boolean {
  if (address.bits !== rule.bits) return false;
  const shift = BigInt(rule.bits - rule.prefixLength);
  return address.value >> shift === rule.value >> shift;
}

function parseAddress(text: string): Address | null {
  const value = parseIpv4(text);
  if (value !== null) return { value, bits: 32 };
  const wide = parseIpv6(text);
  return wide === null ? null : { value: wide, bits: 128 };
}

/** Four decimal numbers without leading zeros: some readers take `010` for 8, so it is no address here. */
function parseIpv4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | null {
  // 45 characters are the longest spelling; a zone (`%eth0`) is for link-local addresses only and is refused with them.
  if (text.length > 45) return null;
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => (half === "" ? [] : groupsOf(half)));
  if (head === null || head === undefined || tail === null) return null;
  if (tail === undefined) return head.length === 8 ? joined(head) : null;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? null : joined([...head, ...Array<bigint>(missing).fill(0n), ...tail]);
}

/** The 16-bit groups of one side of `::`; the last two may be spelled as an IPv4 address. */
function groupsOf(half: string): bigint[] | null {
  const parts = half.split(":");
  const ipv4 = parseIpv4(parts.at(-1) ?? "");
  const hex = ipv4 === null ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return null;
  const groups = hex.map((part) => BigInt(`0x${part}`));
  return ipv4 === null ? groups : [...groups, ipv4 >> 16n, ipv4 & 0xffffn];
}

function joined(groups: readonly bigint[]): bigint {
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}
