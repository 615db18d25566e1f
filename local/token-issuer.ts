// Issues and checks the identity tokens of this laptop, as Google does for service accounts.
// It must never give a token that means anything elsewhere: its key is made at each start and never leaves this process.

import { createHash, generateKeyPair, type KeyObject, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../functions/flows/ports.ts";

/** What a token says (facts on clients, section 8). */
export type Claims = {
  iss: string;
  /** The service that it is for: its base URL. */
  aud: string;
  azp: string;
  sub: string;
  /** The service account. */
  email: string;
  email_verified: boolean;
  /** Seconds since the epoch. */
  iat: number;
  exp: number;
};

/** The laptop's issuer. */
export type TokenIssuer = {
  /** A signed token of a service account (its e-mail) for one audience, valid for an hour. */
  issue(wanted: { account: string; audience: string }): string;
  /** The claims of a token that this issuer signed and that has not expired; undefined for anything else. */
  check(token: string): Claims | undefined;
};

/** An issuer with a new key. */
export async function tokenIssuer(clock: Clock): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  return {
    issue: ({ account, audience }) => {
      const iat = Math.floor(clock.now() / 1000);
      const id = numericId(account);
      const claims: Claims = {
        iss: ISSUER,
        aud: audience,
        azp: id,
        sub: id,
        email: account,
        email_verified: true,
        iat,
        exp: iat + LIFE_SECONDS,
      };
      return signed(claims, privateKey);
    },
    check: (token) => {
      const claims = checked(token, publicKey);
      return claims !== undefined && claims.iss === ISSUER && claims.exp * 1000 > clock.now() ? claims : undefined;
    },
  };
}

/** Google's, because the functions' second gate asks for it. */
const ISSUER = "https://accounts.google.com";

/** As Google's tokens. */
const LIFE_SECONDS = 3_600;

/** What RS256 asks for at least; a longer key takes longer to make and protects nothing here. */
const KEY_BITS = 2_048;

function signed(claims: Claims, key: KeyObject): string {
  const text = [{ alg: "RS256", typ: "JWT", kid: "laptop" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

function checked(token: string, key: KeyObject): Claims | undefined {
  const parts = /^([\w-]+\.([\w-]+))\.([\w-]+)$/.exec(token);
  const [, text = "", payload = "", signature = ""] = parts ?? [];
  if (parts === null || !verify("sha256", Buffer.from(text), key, Buffer.from(signature, "base64url")))
    return undefined;
  return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Claims;
}

/** The number by which Google knows an account: 21 digits, here made from its name. */
function numericId(account: string): string {
  const hash = createHash("sha256").update(account, "utf8").digest("hex");
  return `1${BigInt(`0x${hash}`).toString().slice(0, 20)}`;
}
