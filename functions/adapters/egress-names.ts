/**
 * The second gate of the egress guard: names are looked up here, and every answer is checked before a socket may dial it.
 * It never picks the good ones out of a mixed answer: a name that also leads inside is refused whole.
 */
import { promises as dns } from "node:dns";
import type { LookupFunction } from "node:net";
import { isLoopback, refusalOfAddress } from "../domain/addresses.ts";

/** Answers for a name: its addresses as text, at least one; rejects with an error whose `code` says why there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** A destination that is never dialled; its message is the reason, in our own words. */
export class Blocked extends Error {}

/**
 * The look-up that the socket itself uses, so that the addresses it dials are the ones checked here: there is no second
 * look-up in which another answer could come (rebinding).
 */
export function guardedLookup(resolve: Resolve, loopbackOnly: boolean): LookupFunction {
  return (name, options, callback) => {
    const found = loopbackOnly ? ownMachine(name) : resolve(name);
    void found.then(
      (addresses) => {
        const reason = refusalOfAnswer(addresses, loopbackOnly);
        if (reason !== null) return callback(new Blocked(reason), "", 0);
        const answer = addresses.slice(0, addressesMax).map((address) => ({ address, family: familyOf(address) }));
        const [first] = answer;
        if (first === undefined) return callback(Object.assign(new Error("no address"), { code: "ENODATA" }), "", 0);
        if (options.all === true) callback(null, answer);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, "", 0),
    );
  };
}

/**
 * Asks name servers, for both families at once. Not `getaddrinfo`: that knows the machine's own hosts file, appends search
 * domains, cannot be given up, and waits in one of four threads, so that four names of a customer whose name servers hang
 * would hold up every other look-up of this function.
 */
export function askingServers({ servers, timeoutMs, tries }: NameServers): Resolve {
  return async (name) => {
    const resolver = new dns.Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const errors = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as Error] : []));
    // "No such record" of one family says less than what went wrong with the other.
    throw errors.find((error) => "code" in error && error.code !== "ENODATA") ?? errors[0] ?? new Error("no answer");
  };
}

/** Which servers, and how long. */
export interface NameServers {
  /** `address:port` each; absent: those that the machine is set to. */
  readonly servers?: readonly string[];
  /** For one question, in milliseconds. */
  readonly timeoutMs: number;
  readonly tries: number;
}

/** The machine's name servers: a look-up that takes longer than 4 s has lost its place in an attempt of 15 s. */
export const nameServers: Resolve = askingServers({ timeoutMs: 2_000, tries: 2 });

/** How many of the addresses a socket may try; a name with more is served by the first ones. */
const addressesMax = 8;

/** A listed origin of this machine is not looked up: its name means this machine, whatever a server says. */
async function ownMachine(name: string): Promise<readonly string[]> {
  return name === "localhost" ? ["127.0.0.1", "::1"] : [name];
}

function refusalOfAnswer(addresses: readonly string[], loopbackOnly: boolean): string | null {
  if (loopbackOnly) return addresses.every(isLoopback) ? null : "not an address of this machine";
  const reasons = addresses.map(refusalOfAddress).filter((reason) => reason !== null);
  const [reason] = reasons;
  if (reason === undefined) return null;
  return reasons.length === addresses.length ? `the name leads to: ${reason}` : `the name also leads to: ${reason}`;
}

function familyOf(address: string): 4 | 6 {
  return address.includes(":") ? 6 : 4;
}
