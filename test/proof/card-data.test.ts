// Card data never enters: wherever a request carries it, the request is refused and nothing of the number is left behind.
// It must never use a real number: all of them are made from a network's prefix and a computed check digit.
import fc from "fast-check";
import { rowsAsText } from "../support/rows-as-text.ts";
import { openWorld, payForm, type Reply, type World } from "../support/world.ts";

const creates = "/v1/payment_intents";
const visa = "4242424242424242";

describe("a request with a card's number", () => {
  test.each<[string, (world: World) => Promise<Reply>, string | undefined]>([
    ["in a description", (world) => world.post(creates, `${payForm}&description=my+card+${visa}`), "description"],
    ["as a value of metadata", (world) => world.post(creates, `${payForm}&metadata[note]=${visa}`), "metadata[note]"],
    ["as a key of metadata", (world) => world.post(creates, `${payForm}&metadata[${visa}]=x`), "metadata"],
    ["as a parameter's name", (world) => world.post(creates, `${payForm}&${visa}=x`), undefined],
    ["as the amount", (world) => world.post(creates, `amount=${visa}&currency=usd`), "amount"],
    ["in a list", (world) => world.post(creates, `${payForm}&expand[]=${visa}`), "expand[0]"],
    ["in a parameter that no endpoint has", (world) => world.post(creates, `${payForm}&a[b][c]=${visa}`), "a[b][c]"],
    ["in the query", (world) => world.post(`${creates}?description=${visa}`, payForm), "description"],
    ["in the query of a read", (world) => world.get(`${creates}?customer=cus_${visa}`), "customer"],
    [
      "in JSON",
      (world) => world.postJson(creates, { shipping: { address: { line1: visa } } }),
      "shipping[address][line1]",
    ],
    ["as a number of JSON", (world) => world.postJson(creates, `{"amount":${visa}}`), "amount"],
    ["behind escapes of JSON", (world) => world.postJson(creates, `{"a":"\\u0034${visa.slice(1)}"}`), "a"],
    [
      "as the idempotency key",
      (world) => world.post(creates, payForm, { key: "4242-4242-4242-4242" }),
      "Idempotency-Key",
    ],
    ["in the path", (world) => world.get(`${creates}/pi_${visa}`), undefined],
    ["in an unknown path", (world) => world.post(`/v1/charge/4242%204242%204242%204242`, payForm), undefined],
    ["in a form that cannot be read", (world) => world.post(creates, `${payForm}&${visa}[=x`), undefined],
    ["in a name that was sent twice", (world) => world.post(creates, `${visa}=1&${visa}=2`), undefined],
    ["in JSON that cannot be read", (world) => world.postJson(creates, `{"a":"${visa}"`), undefined],
    [
      "in a body of another type",
      (world) => world.post(creates, `<n>${visa}</n>`, { headers: { "content-type": "text/xml" } }),
      undefined,
    ],
  ])("%s is refused, and names no more than the parameter", async (_, send, param) => {
    const world = await openWorld();
    const before = stored(world);
    const reply = await send(world);
    expect([reply.status, reply.json.error.type, reply.json.error.param]).toEqual([
      400,
      "invalid_request_error",
      param,
    ]);
    expect(reply.json.error.message).toMatch(/^Card data is not accepted/);
    expect(traces(world, reply)).not.toContain(visa);
    expect(stored(world)).toEqual(before);
  });

  test.each([
    "card[number]",
    "card[cvc]",
    "payment_method_data[card][exp_month]",
    "payment_method_data[card]",
    "source[number]",
  ])("or with %s is refused whatever the value is, even an empty one", async (name) => {
    const world = await openWorld();
    for (const value of ["", "x", "123"]) {
      const reply = await world.post(creates, `${payForm}&${name}=${value}`, { key: "K" });
      expect([reply.status, reply.json.error.param]).toEqual([400, name.replace("[exp_month]", "")]);
    }
    expect(stored(world)).toEqual(stored(await openWorld()));
  });

  test("leaves its idempotency key free for the request without it", async () => {
    const world = await openWorld();
    await world.post(creates, `${payForm}&description=${visa}`, { key: "K" });
    const paid = await world.post(creates, payForm, { key: "K" });
    expect([paid.status, paid.json.status, paid.headers["Idempotent-Replayed"]]).toEqual([200, "succeeded", undefined]);
  });

  test("leaves no trace, wherever it stands and however it is written", async () => {
    await fc.assert(
      fc.asyncProperty(cardNumber, spelling, place, async (digits, spell, send) => {
        const world = await openWorld();
        const before = stored(world);
        const reply = await send(world, spell(digits));
        expect([reply.status, reply.json.error.type]).toEqual([400, "invalid_request_error"]);
        expect(traces(world, reply)).not.toContain(digits);
        expect(stored(world)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });
});

test("what only resembles card data is taken: ids, times, telephone numbers, UUIDs", async () => {
  const world = await openWorld();
  const { json } = await world.post(creates, "amount=99999999&currency=usd", {
    key: "6f9619ff-8b86-4d01-b42d-00cf4fc96442",
  });
  const form = new URLSearchParams({
    "metadata[at]": "1768478400006",
    "metadata[intent]": json.id,
    "metadata[key]": "42424242-4242-4242-8424-242424242424",
    "metadata[number]": "4242",
    "shipping[name]": "Zoë",
    "shipping[phone]": "+4242424242424242",
    "shipping[address][line1]": "1 Main Street",
  });
  const updated = await world.post(`${creates}/${json.id}`, form.toString());
  expect([updated.status, updated.json.metadata.at]).toEqual([200, "1768478400006"]);
});

/** Everything that could hold the number: answer, log, all rows, all cached records; separators are left out of it. */
function traces(world: World, reply: Reply): string {
  const rows = Object.values(rowsAsText(world)).flat();
  const cached = [...world.cache.records().values()].map(({ record }) => JSON.stringify(record));
  const all = [reply.text, JSON.stringify(reply.headers), ...world.logged, ...rows, ...cached].join("\n");
  return all.normalize("NFKC").replaceAll(/[\s\p{Pd}]|%20|\+/gu, "");
}

function stored(world: World) {
  return { rows: rowsAsText(world), cached: world.cache.records() };
}

const cardNumber = fc
  .tuple(
    fc.constantFrom("4", "34", "37", "51", "55", "2221", "2720", "30", "36", "6011", "62"),
    fc.integer({ min: 13, max: 19 }),
    fc.array(fc.nat({ max: 9 }), { minLength: 18, maxLength: 18 }),
  )
  .map(([prefix, length, random]) => {
    const body = (prefix + random.join("")).slice(0, length - 1);
    const doubled = [...body].reverse().map((digit, index) => (index % 2 === 0 ? Number(digit) * 2 : Number(digit)));
    const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
    return `${body}${(10 - (sum % 10)) % 10}`;
  });

const groupsOfFour = (digits: string) => digits.match(/.{1,4}/g) ?? [];
const spelling = fc.constantFrom<(digits: string) => string>(
  (digits) => digits,
  (digits) => groupsOfFour(digits).join(" "),
  (digits) => groupsOfFour(digits).join("-"),
  (digits) => groupsOfFour(digits).join("\u00a0"),
  (digits) => `No. ${groupsOfFour(digits).join("  ")}, 12/30`,
  (digits) => `${digits} 123`,
);

/** A name of a parameter in brackets, up to six deep. */
const name = fc
  .array(fc.constantFrom("metadata", "description", "shipping", "a", "constructor", "__proto__", "0"), {
    minLength: 1,
    maxLength: 6,
  })
  .map(([first = "a", ...rest]) => first + rest.map((part) => `[${part}]`).join(""));

const encoded = encodeURIComponent;

/** Sends a text somewhere. The header is written as a client can: without what HTTP does not carry. */
const place = fc.oneof(
  name.map(
    (at) => (world: World, text: string) => world.post(creates, `${payForm}&${encoded(at)}[x]=${encoded(text)}`),
  ),
  name.map((at) => (world: World, text: string) => world.post(creates, `${encoded(`${at}[${text}]`)}=x&amount=1`)),
  name.map((at) => (world: World, text: string) => world.get(`${creates}?${encoded(at)}[x]=${encoded(text)}`)),
  name.map((at) => (world: World, text: string) => world.postJson(creates, nested(at, text))),
  name.map((at) => (world: World, text: string) => world.postJson(creates, { list: [1, { [text]: nested(at, "x") }] })),
  fc.constant((world: World, text: string) => world.postJson(creates, JSON.stringify({ a: text }).slice(0, -1))),
  fc.constant((world: World, text: string) => world.post(creates, `${encoded(text)}]=1`)),
  fc.constant((world: World, text: string) => world.post(creates, payForm, { key: text.normalize("NFKC") })),
  fc.constant((world: World, text: string) => world.get(`${creates}/${encoded(text)}`)),
);

function nested(at: string, text: string): object {
  const names = at.replaceAll("]", "").split("[");
  return names.reduceRight<unknown>((inner, part) => JSON.parse(`{${JSON.stringify(part)}:${JSON.stringify(inner)}}`), {
    x: text,
  }) as object;
}
