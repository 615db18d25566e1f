// Which addresses are forbidden and why, row by row; spellings are driven through the socket in test/proof/.
// It must never take an expected reason from the table under test.
import { isAddress, isLoopback, refusalOfAddress } from "../../functions/domain/addresses.ts";
import { forbiddenIpv4, forbiddenIpv6, publicAddresses } from "../proof/address-spellings.ts";

describe("an address", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["10.0.0.1", "RFC 1918"],
    ["169.254.169.254", "metadata"],
    ["100.64.0.1", "carrier NAT"],
    ["199.36.153.8", "Google's APIs"],
    ["255.255.255.255", "broadcast"],
    ["::1", "loopback"],
    ["::ffff:8.8.8.8", "IPv4-mapped"],
    ["64:ff9b::a9fe:a9fe", "NAT64"],
    ["2002:a9fe:a9fe::", "6to4"],
    ["2001::1", "Teredo"],
    ["fd00:ec2::254", "metadata"],
    ["fe80::1", "link-local"],
    ["4000::1", "outside the public addresses"],
  ])("%s is refused with its reason: %s", (address, reason) => {
    expect(refusalOfAddress(address)).toContain(reason);
  });

  test("of every forbidden range is refused, at both of its ends", () => {
    expect([...forbiddenIpv4, ...forbiddenIpv6].filter((address) => refusalOfAddress(address) === null)).toEqual([]);
  });

  test("beside a forbidden range is public", () => {
    expect(publicAddresses.filter((address) => refusalOfAddress(address) !== null)).toEqual([]);
  });

  test.each([
    ["a zone", "fe80::1%eth0"],
    ["a leading zero", "010.8.8.8"],
    ["three numbers", "8.8.8"],
    ["five numbers", "8.8.8.8.8"],
    ["a number over 255", "8.8.8.256"],
    ["a hexadecimal number", "0x8.8.8.8"],
    ["a space", " 8.8.8.8"],
    ["a newline", "8.8.8.8\n"],
    ["digits of another script", "٨.8.8.8"],
    ["brackets", "[2606:4700::1]"],
    ["two gaps", "2606::4700::1"],
    ["seven groups", "2606:4700:0:0:0:0:1"],
    ["nine groups", "2606:4700:0:0:0:0:0:0:1"],
    ["a gap that stands for nothing", "2606:4700:0:0::0:0:0:1"],
    ["a group of five digits", "2606:04700::1"],
    ["an IPv4 address in the middle", "2606::8.8.8.8:1"],
    ["a name", "example.com"],
    ["nothing", ""],
    ["a colon", ":"],
    ["a megabyte", "1:".repeat(500_000)],
  ])("with %s is none and is refused", (_title, text) => {
    expect(isAddress(text)).toBe(false);
    expect(refusalOfAddress(text)).toBe("not an address");
  });

  test.each([
    ["2606:4700::1", "2606:4700:0000:0000:0000:0000:0000:0001"],
    ["2606:4700::1", "2606:4700:0:0:0:0:0:1"],
    ["2606:4700::1", "2606:4700::0.0.0.1"],
    ["2606:4700::ABCD", "2606:4700::abcd"],
    ["::", "0:0:0:0:0:0:0:0"],
  ])("is the same in each of its spellings: %s", (one, other) => {
    expect(refusalOfAddress(one)).toBe(refusalOfAddress(other));
    expect(isAddress(other)).toBe(true);
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["::1", true],
  ["128.0.0.1", false],
  ["::2", false],
  ["::ffff:127.0.0.1", false],
  ["0.0.0.0", false],
  ["localhost", false],
])("of this machine is %s: %s", (address, own) => {
  expect(isLoopback(address)).toBe(own);
});
