/**
 * A zip whose bytes depend on nothing but the names and bytes of the files in it, so that unchanged code is not deployed.
 * It must never hold a file time, an owner, or the order in which a disk lists its files.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { crc32 } from "node:zlib";

/** The folder's files as a zip, and a hash over their names and bytes for the name of the object that carries it. */
export function sourceZip(folder: string): { readonly bytes: Buffer; readonly hash: string } {
  const entries = filesBelow(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const hash = createHash("sha256");
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name.split(sep).join("/"), "utf8");
    hash.update(`${path.length}:`).update(path).update(`${bytes.length}:`).update(bytes);
    const facts = factsOf(path, bytes);
    directory.push(centralHeader(facts, offset), path);
    parts.push(localHeader(facts), path, bytes);
    offset += LOCAL_HEADER_BYTES + path.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  return {
    bytes: Buffer.concat([...parts, central, endOf(entries.length, central.length, offset)]),
    hash: hash.digest("hex"),
  };
}

/** Characters of the hash in an object's name: 64 bits, more than enough to tell one build from the next. */
export const hashLength = 16;

/** Sizes of the fixed parts, from the zip format's own description. */
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_BYTES = 22;

/** Version 2.0 of the format: folders in names, no encryption. */
const VERSION = 20;
/** Made on Unix, so that the mode below counts. */
const MADE_BY = (3 << 8) | VERSION;
/** Names are UTF-8. */
const UTF8_FLAG = 1 << 11;
/** Stored, not deflated: another zlib would make other bytes of the same files, and the upload is small. */
const STORED = 0;
/** 1980-01-01 00:00, the first moment that the format knows. */
const DOS_TIME = 0;
const DOS_DATE = (1 << 5) | 1;
/** A regular file that everybody may read. */
const FILE_MODE = 0o100644;

interface Facts {
  readonly nameLength: number;
  readonly size: number;
  readonly checksum: number;
}

function factsOf(path: Buffer, bytes: Buffer): Facts {
  return { nameLength: path.length, size: bytes.length, checksum: crc32(bytes) };
}

/** Paths of all files, relative to the folder, in the order of their names' bytes. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .map((file) => file.slice(folder.length + 1))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** What both headers of a file share: from the version that extracts it to the length of its extra field. */
function shared({ nameLength, size, checksum }: Facts): Buffer {
  const bytes = Buffer.alloc(LOCAL_HEADER_BYTES - 4);
  bytes.writeUInt16LE(VERSION, 0);
  bytes.writeUInt16LE(UTF8_FLAG, 2);
  bytes.writeUInt16LE(STORED, 4);
  bytes.writeUInt16LE(DOS_TIME, 6);
  bytes.writeUInt16LE(DOS_DATE, 8);
  bytes.writeUInt32LE(checksum, 10);
  bytes.writeUInt32LE(size, 14);
  bytes.writeUInt32LE(size, 18);
  bytes.writeUInt16LE(nameLength, 22);
  return bytes;
}

function localHeader(facts: Facts): Buffer {
  return Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared(facts)]);
}

function centralHeader(facts: Facts, offset: number): Buffer {
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(MADE_BY);
  // Comment length, disk number and internal attributes stay zero.
  const rest = Buffer.alloc(CENTRAL_HEADER_BYTES - 4 - 2 - (LOCAL_HEADER_BYTES - 4));
  rest.writeUInt32LE((FILE_MODE << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), madeBy, shared(facts), rest]);
}

function endOf(count: number, directorySize: number, directoryOffset: number): Buffer {
  const bytes = Buffer.alloc(END_BYTES);
  bytes.write("PK\x05\x06", 0, "latin1");
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(directorySize, 12);
  bytes.writeUInt32LE(directoryOffset, 16);
  return bytes;
}
