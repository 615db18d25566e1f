// Shows that ids and tokens never repeat, whatever is asked for in which order.
// It must never judge randomness itself: that is the operating system's.
import { systemRandom } from "../../functions/adapters/system.ts";

test("a thousand ids and tokens, more than are made ready at once, are all different and of full length", () => {
  const made = Array.from({ length: 500 }, () => [systemRandom.id("pi").slice(3), systemRandom.token()]).flat();

  expect(new Set(made).size).toBe(1_000);
  for (const text of made) expect(text).toMatch(/^[\w-]{24}$/);
  expect(made.filter((text) => /^A+$|(.)\1{9}/.test(text))).toEqual([]);
});
