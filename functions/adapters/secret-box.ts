/**
 * The secret box: AES-256-GCM under a key from Secret Manager, with the key's id in front so that keys can be replaced.
 * It must never put a key or an opened text into an error, and never seal two texts under one nonce.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { type SecretBox, sealedPrefix } from "../domain/secret-box.ts";

/**
 * A box with the keys of the setting: one, or several with commas between. The first one seals, all of them open, so that
 * a new key goes in front and the old one goes once nothing is sealed under it any more.
 * @throws Error at once for a key that is too short; the text does not contain it
 */
export function aesSecretBox(setting: string): SecretBox {
  const keys = setting
    .split(",")
    .map((text) => text.trim())
    .map(keyFrom);
  const [newest] = keys;
  if (newest === undefined) throw new Error("The secret box has no key.");
  return {
    seal: (plain, context) => seal(newest, plain, context),
    open: (sealed, context) => open(keys, sealed, context),
    randomBytes,
  };
}

interface Key {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** 32 characters carry 128 bits even where they are hexadecimal; bootstrap makes 64 of those. */
const keyCharactersMin = 32;

function keyFrom(text: string): Key {
  if (text.length < keyCharactersMin) throw new Error("The key of the secret box is missing or too short.");
  // Derived, so that any text of enough randomness is a key of the right length, and its id tells nothing about it.
  const bytes = new Uint8Array(hkdfSync("sha256", text, "", "payments secret box, AES-256-GCM", 32));
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 8), bytes };
}

/** 96 bits, what GCM is made for; random ones stay unique far beyond the number of secrets that anybody makes. */
const nonceBytes = 12;
const tagBytes = 16;

function seal(key: Key, plain: Uint8Array, context: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce).setAAD(Buffer.from(context, "utf8"));
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `${sealedPrefix}${key.id}:${sealed.toString("base64url")}`;
}

function open(keys: readonly Key[], sealed: string, context: string): Uint8Array {
  const [, id, text = ""] = /^sealed:([0-9a-f]{8}):([\w-]+)$/.exec(sealed) ?? [];
  const key = keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw new Error("A sealed text was sealed under a key that is not here.");
  const bytes = Buffer.from(text, "base64url");
  const nonce = bytes.subarray(0, nonceBytes);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, nonce).setAAD(Buffer.from(context, "utf8"));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new Error("A sealed text was changed, or belongs to another record.", { cause });
  }
}
