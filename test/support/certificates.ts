// Makes X.509 certificates for tests of TLS: an authority, and what it signed, expired or for another name.
// It must never be used outside tests: the serial numbers are fixed and the keys live for one run.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key with its certificate, both PEM. */
export type Identity = { readonly key: string; readonly certificate: string };

/** What a certificate says. */
export type CertificateWish = {
  /** Host name or IPv4 address that it is for. */
  readonly host: string;
  readonly notAfter?: Date;
  /** Who signs; absent: itself. */
  readonly issuer?: Authority;
};

/** An authority that can sign. */
export type Authority = { readonly name: string; readonly key: KeyObject; readonly certificate: string };

/** A new authority. */
export function newAuthority(name: string): Authority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const certificate = certify({
    subject: name,
    issuer: name,
    publicKey,
    signer: privateKey,
    extensions: [caExtension],
  });
  return { name, key: privateKey, certificate };
}

/** A new key and its certificate. */
export function newIdentity({ host, notAfter, issuer }: CertificateWish): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const extensions = [alternativeName(host)];
  const signer = issuer?.key ?? privateKey;
  const certificate = certify({ subject: host, issuer: issuer?.name ?? host, publicKey, signer, extensions, notAfter });
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), certificate };
}

type Fields = {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly notAfter?: Date | undefined;
};

function certify({ subject, issuer, publicKey, signer, extensions, notAfter }: Fields): string {
  const algorithm = sequence(objectId("2a8648ce3d040302")); // ecdsa-with-SHA256
  const validity = sequence(time(new Date("2020-01-01T00:00:00Z")), time(notAfter ?? new Date("2049-01-01T00:00:00Z")));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    validity,
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", toBeSigned, signer)]));
  const base64 = sequence(toBeSigned, algorithm, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** basicConstraints, critical: cA is true. */
const caExtension = sequence(
  objectId("551d13"),
  der(0x01, Buffer.of(0xff)),
  der(0x04, sequence(der(0x01, Buffer.of(0xff)))),
);

function alternativeName(host: string): Buffer {
  const bytes = host.split(".").map(Number);
  const isAddress = bytes.length === 4 && bytes.every((byte) => byte >= 0 && byte <= 255);
  const name = isAddress ? der(0x87, Buffer.from(bytes)) : der(0x82, Buffer.from(host));
  return sequence(objectId("551d11"), der(0x04, sequence(name)));
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(date.toISOString().replace(/[-:T]/g, "").replace(/\.\d+/, "")));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...items: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
