// Shows that a function's zip and its object's name follow its content and nothing else.
// It must never use the real bundles: three small files tell more.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { hashLength, sourceZip } from "../../infra/constructs/source-zip.ts";
import { paymentsApp } from "../../infra/payments-app.ts";
import { readSettings } from "../../infra/settings.ts";

/** Two syntheses take a second, and many times that on a machine that does much else. */
const SYNTHESES_MS = 30_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sources-"));
  write("payments-api/index.js", "exports.pay = 1;");
  write("payments-api/package.json", "{}");
  write("payments-api/lib/table.json", '{"ü":"ä"}');
  write("test-acquirer/index.js", "exports.approve = 1;");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** By function: the object's name, its zip's path seen from the stack's folder, and the zip's bytes. */
function synthesize(): Record<string, { name: string; source: string; bytes: Buffer | undefined }> {
  const outdir = path.join(folder, "out");
  rmSync(outdir, { recursive: true, force: true });
  paymentsApp(readSettings({}, folder), outdir).synth();
  const stack = JSON.parse(readFileSync(path.join(outdir, "stacks", "services", "cdk.tf.json"), "utf8"));
  const objects = Object.values(stack.resource.google_storage_bucket_object) as { name: string; source: string }[];
  return Object.fromEntries(
    objects.map(({ name, source }) => {
      const file = path.join(outdir, "stacks", "services", source);
      return [name.split("/")[0], { name, source, bytes: existsSync(file) ? readFileSync(file) : undefined }];
    }),
  );
}

/** Sets every file's time, as a fresh checkout does. */
function touchAll(seconds: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) utimesSync(path.join(entry.parentPath, entry.name), seconds, seconds);
  }
}

describe("a source zip", () => {
  test("has the same bytes whatever the files' times are", () => {
    const before = sourceZip(path.join(folder, "payments-api"));
    utimesSync(path.join(folder, "payments-api", "index.js"), 1_700_000_000, 1_700_000_000);

    const after = sourceZip(path.join(folder, "payments-api"));

    expect(after.bytes.equals(before.bytes)).toBe(true);
    expect(after.hash).toBe(before.hash);
  });

  test("gets another hash from one byte, and from a name alone", () => {
    const before = sourceZip(path.join(folder, "payments-api")).hash;
    write("payments-api/index.js", "exports.pay = 2;");
    const byByte = sourceZip(path.join(folder, "payments-api")).hash;
    rmSync(path.join(folder, "payments-api", "index.js"));
    // As long as the old name, and in the same place among the others.
    write("payments-api/indey.js", "exports.pay = 1;");
    const byName = sourceZip(path.join(folder, "payments-api")).hash;

    expect(new Set([before, byByte, byName]).size).toBe(3);
  });

  test("can be read back by way of its directory, names in UTF-8 and checksums right", () => {
    const { bytes } = sourceZip(path.join(folder, "payments-api"));

    expect(filesIn(bytes)).toEqual({
      "index.js": "exports.pay = 1;",
      "lib/table.json": '{"ü":"ä"}',
      "package.json": "{}",
    });
  });
});

/** Reads a zip without compression the way the format says: from the end record to the directory to each file. */
function filesIn(zip: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let entry = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    expect(zip.toString("latin1", entry, entry + 4)).toBe("PK\x01\x02");
    const [checksum, size, nameLength] = [
      zip.readUInt32LE(entry + 16),
      zip.readUInt32LE(entry + 24),
      zip.readUInt16LE(entry + 28),
    ];
    const local = zip.readUInt32LE(entry + 42);
    expect(zip.toString("latin1", local, local + 4)).toBe("PK\x03\x04");
    const name = zip.toString("utf8", entry + 46, entry + 46 + nameLength);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(start, start + size);
    expect(crc32(content)).toBe(checksum);
    files[name] = content.toString("utf8");
    entry += 46 + nameLength + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  return files;
}

describe("the objects of the source bucket", () => {
  test(
    "failure 8: are the same objects with the same bytes after every file was touched",
    () => {
      touchAll(1_600_000_000);
      const before = synthesize();
      touchAll(1_700_000_000);
      const after = synthesize();

      expect(after).toEqual(before);
      expect(after["payments-api"]?.bytes?.length).toBeGreaterThan(0);
    },
    SYNTHESES_MS,
  );

  test(
    "failure 7: change for one byte in one function, and for that function alone",
    () => {
      const before = synthesize();
      write("payments-api/index.js", "exports.pay = 2;");
      const after = synthesize();

      expect(before["payments-api"]?.name).toMatch(new RegExp(`^payments-api/[0-9a-f]{${hashLength}}\\.zip$`));
      expect(after["payments-api"]?.name).not.toBe(before["payments-api"]?.name);
      for (const other of ["test-acquirer", "ledger-writer"]) expect(after[other]).toEqual(before[other]);
    },
    SYNTHESES_MS,
  );

  test(
    "lie where Terraform, which runs in the stack's folder, finds them",
    () => {
      expect(synthesize()["payments-api"]?.bytes?.subarray(0, 4).toString("latin1")).toBe("PK\x03\x04");
    },
    SYNTHESES_MS,
  );

  test(
    "have a stable name while nothing is built, so that synthesis needs no build",
    () => {
      rmSync(path.join(folder, "payments-api"), { recursive: true });

      expect(synthesize()["payments-api"]).toEqual({
        name: "payments-api/not-built.zip",
        source: "../../sources/payments-api-not-built.zip",
        bytes: undefined,
      });
    },
    SYNTHESES_MS,
  );
});
