// Writes an address in every way that some parser has been seen to read, for the corpus of forbidden destinations.
// It must never use the parser under test: spellings are made from four numbers by text alone.

/** The host part of URLs that some reader takes for this IPv4 address; IPv6 forms stand in brackets. */
export function spellingsOf(address: string): string[] {
  const bytes = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number, digits = 2) => value.toString(16).padStart(digits, "0");
  const low = [hex(a) + hex(b), hex(c) + hex(d)].join(":");
  const each = (write: (byte: number) => string) => bytes.map(write).join(".");
  const ipv4 = [
    address,
    // One number, two numbers, three numbers: the last one fills what is left.
    String(whole),
    `0x${hex(whole, 8)}`,
    `0X${hex(whole, 8).toUpperCase()}`,
    `0${whole.toString(8)}`,
    `0000${whole.toString(8)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.0x${hex(b)}.${c * 256 + d}`,
    each((byte) => `0x${hex(byte)}`),
    each((byte) => `0${byte.toString(8)}`),
    each((byte) => `000000${byte.toString(8)}`),
    `${a}.0x${hex(b)}.0${c.toString(8)}.${d}`,
    `${address}.`,
    each((byte) => encodeAll(String(byte))),
    encodeAll(address),
  ];
  const wide = ipv4
    .slice(0, 1)
    .flatMap((text) => [
      shifted(text, "０"),
      circled(text),
      shifted(text, "𝟎"),
      text.replaceAll(".", "。"),
      text.replaceAll(".", "．"),
      text.replaceAll(".", "｡"),
      text.split("").join("\u00ad"),
      text.split("").join("\u200b"),
    ]);
  const ipv6 = [
    `::ffff:${address}`,
    `::FFFF:${address}`,
    `::ffff:${low}`,
    `0:0:0:0:0:ffff:${low}`,
    `0000:0000:0000:0000:0000:ffff:${address}`,
    `::${address}`,
    `::${low}`,
    `::ffff:0:${address}`,
    `::ffff:0:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b::${low}`,
    `64:ff9b:1::${address}`,
    `64:ff9b:1:ffff::${low}`,
    `2002:${low}::`,
    `2002:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${hex(~((a << 8) | b) & 0xffff, 4)}:${hex(~((c << 8) | d) & 0xffff, 4)}`,
    `2001:0:${low}::1`,
    `fe80::5efe:${address}`,
    `fe80::${low}%25eth0`,
    `fe80::${low}%eth0`,
    `fd00::${low}`,
    `ff02::${low}`,
    `2001:db8::${address}`,
    `100::${low}`,
    `5f00::${low}`,
    `4000::${low}`,
    address,
  ];
  return [...ipv4, ...wide, ...ipv6.map((text) => `[${text}]`)];
}

/** Addresses from the middle and both ends of each forbidden IPv4 range, written down by hand. */
export const forbiddenIpv4: readonly string[] = [
  ...["0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.1.2.3", "10.255.255.255"],
  ...["34.126.0.0", "34.126.63.255", "100.64.0.0", "100.100.100.200", "100.127.255.255"],
  ...["127.0.0.0", "127.0.0.1", "127.0.0.53", "127.1.2.3", "127.255.255.255"],
  ...["169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255"],
  ...["172.16.0.0", "172.17.0.1", "172.31.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"],
  ...["192.0.2.0", "192.0.2.255", "192.31.196.1", "192.52.193.1", "192.88.99.1"],
  ...["192.168.0.0", "192.168.1.1", "192.168.255.255", "192.175.48.1"],
  ...["198.18.0.0", "198.19.255.255", "198.51.100.7", "199.36.153.4", "199.36.153.11", "203.0.113.9"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.254", "255.255.255.255"],
];

/** The same for IPv6. */
export const forbiddenIpv6: readonly string[] = [
  ...["::", "::1", "::7f00:1", "::ffff:808:808", "::ffff:0:808:808", "64:ff9b::808:808", "64:ff9b:1::1"],
  ...["100::1", "100:0:0:1::1", "2001::1", "2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1"],
  ...["2001:db8::1", "2001:4860:8040::1", "2002:808:808::1", "2600:2d00:2:1000::1", "2600:2d00:2:20ff::1"],
  ...["2620:4f:8000::1", "3fff::1", "3fff:fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254"],
  ...["fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff02::1", "ffff::1"],
  ...["1fff::1", "4000::1", "8000::1", "e000::1", "200::1", "400::1"],
];

/** Public addresses right beside forbidden ranges, and some that everybody knows. */
export const publicAddresses: readonly string[] = [
  ...["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "34.125.255.255", "34.126.64.0"],
  ...["100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0"],
  ...["172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0"],
  ...[
    "198.17.255.255",
    "198.20.0.0",
    "199.36.153.3",
    "199.36.153.12",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
  ],
  ...[
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "2001:db7::1",
    "2001:db9::1",
  ],
  ...["2600:2d00:2:0fff::1", "2600:2d00:2:2100::1", "3ffe:ffff::1", "2fff::1"],
];

function encodeAll(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
}

function shifted(text: string, zero: string): string {
  const start = zero.codePointAt(0) ?? 0;
  return text.replace(/\d/g, (digit) => String.fromCodePoint(start + Number(digit)));
}

function circled(text: string): string {
  return text.replace(/\d/g, (digit) => (digit === "0" ? "⓪" : String.fromCodePoint(0x2460 + Number(digit) - 1)));
}
