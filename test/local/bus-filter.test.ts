// Filters of subscriptions: what they take, and what Pub/Sub would not accept as one.
import { parseFilter } from "../../local/bus-filter.ts";

const paid = { event_type: "payment_intent.succeeded", account_id: "acct_1" };

test.each([
  ["", true],
  ["attributes:event_type", true],
  ["attributes:event_type2", false],
  ["attributes:toString", false],
  ['attributes.event_type = "payment_intent.succeeded"', true],
  ['attributes.event_type="payment_intent.created"', false],
  ['attributes.event_type != "payment_intent.created"', true],
  ['attributes.missing != "anything"', true],
  ['hasPrefix(attributes.event_type, "payment_intent.")', true],
  ['hasPrefix(attributes.event_type, "charge.")', false],
  ['hasPrefix(attributes.missing, "")', false],
  ['NOT hasPrefix(attributes.event_type, "charge.")', true],
  ["-attributes:missing", true],
  ['attributes:event_type AND attributes.account_id = "acct_2"', false],
  ['attributes.account_id = "acct_2" OR attributes.account_id = "acct_1" OR attributes:x', true],
  ['attributes:x OR (attributes:event_type AND NOT attributes.account_id = "acct_2")', true],
  ['attributes."account_id" = "acct_1"', true],
  ['attributes.account_id = "acct\\_1"', true],
])("%s", (filter, takes) => {
  expect(parseFilter(filter)(paid)).toBe(takes);
});

test.each([
  ['attributes.a == "b"', "the filter has =, where it is not understood"],
  ["attributes.a = b", "the filter has b, where it is not understood"],
  ["attributes.a =", "the filter has no end"],
  ["data:a", "the filter has data, where it is not understood"],
  ["attributes:a AND attributes:b OR attributes:c", "the filter mixes AND and OR without parentheses"],
  ["(attributes:a", "the filter has no end"],
  ["attributes:a)", "the filter has ), where it is not understood"],
  ['attributes.a > "b"', 'the filter has > "b", where it is not understood'],
  [`attributes.a = "${"b".repeat(242)}"`, "the filter has more than 256 bytes"],
])("refuses %s", (filter, message) => {
  expect(() => parseFilter(filter)).toThrow(message);
});
