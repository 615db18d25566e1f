// Shows which body is kept how, at the byte where the rule changes, and whose write is one's own.
// It must never compress for real: the rule takes the compressor from its caller.
import { bodyBytesMax, isOwnWrite, packBody } from "../../functions/domain/claim-storage.ts";

const never = async () => {
  throw new Error("compressed without need");
};

describe("packing a body", () => {
  // Identity instead of equality: comparing a million bytes one by one takes seconds.
  test("921 600 bytes are kept as they are", async () => {
    const body = new Uint8Array(921_600);

    const packed = await packBody(body, never);

    expect(packed.form).toBe("raw");
    expect("bytes" in packed && packed.bytes === body).toBe(true);
  });

  test("one byte more is compressed, and kept so when that fits", async () => {
    const compressed = new Uint8Array(921_600);

    const packed = await packBody(new Uint8Array(921_601), async () => compressed);

    expect(packed.form).toBe("gzip");
    expect("bytes" in packed && packed.bytes === compressed).toBe(true);
  });

  test("what does not fit compressed either is left to the ledger", async () => {
    expect(await packBody(new Uint8Array(921_601), async () => new Uint8Array(921_601))).toEqual({ form: "in_ledger" });
  });

  test("what the ledger cannot hold either is not even compressed", async () => {
    expect(await packBody(new Uint8Array(bodyBytesMax + 1), never)).toEqual({ form: "in_ledger" });
  });
});

describe("one's own write", () => {
  const written = { owner: "worker-1", generation: 2, state: "completed" } as const;

  test("is recognised by owner, generation and state together", () => {
    expect(isOwnWrite({ ...written }, written)).toBe(true);
  });

  test.each([
    ["another owner", { ...written, owner: "worker-2" }],
    ["another generation", { ...written, generation: 3 }],
    ["another state", { ...written, state: "released" as const }],
  ])("%s is not", (_title, other) => {
    expect(isOwnWrite(other, written)).toBe(false);
  });
});
