// The inert excerpt of a stranger's answer: bounded, printable, and made from any bytes.
// It must never throw.
import fc from "fast-check";
import { excerptOf } from "../../functions/domain/excerpt.ts";

test.each([
  ["text", "no such order", "no such order"],
  ["line breaks", "  a\r\n\tb\u2028c  ", "a b c"],
  ["a terminal's escape", "\u001b[31mred\u0007\u0000\u009b", "[31mred"],
  ["direction marks", "abc\u202etxt.exe\u200b\u2066", "abctxt.exe"],
  ["characters of all scripts", "né 支払い 😀", "né 支払い 😀"],
  ["private and unassigned characters", "a\ue000\u{10ffff}b", "ab"],
])("keeps what can be shown of %s", (_title, body, excerpt) => {
  expect(excerptOf(Buffer.from(body))).toBe(excerpt);
});

test("shows a mark where bytes are no text", () => {
  expect(excerptOf(Buffer.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});

test("has 500 characters at most and never half of one", () => {
  expect(excerptOf(Buffer.from("x".repeat(501)))).toBe("x".repeat(500));
  expect(excerptOf(Buffer.from(`${"x".repeat(499)}😀`))).toBe("x".repeat(499));
});

test("is inert whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const excerpt = excerptOf(bytes);
      expect(excerpt.length).toBeLessThanOrEqual(500);
      expect(excerpt).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
    { numRuns: 100 },
  );
});
