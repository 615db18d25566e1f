/**
 * The addresses that a webhook never goes to, from IANA's registries of special-purpose addresses, with a reason for each.
 * It never lists an ordinary public address; a row that is too wide here is a merchant who gets no webhooks.
 */

/** One range: where it starts, how many bits are fixed, and what it is for (with the document that says so). */
export type Range = readonly [prefix: string, reason: string];

/**
 * IPv4. The registry at the state of 2025, multicast, and the ranges in which Google answers only inside its own networks.
 * Ranges that the registry calls globally reachable are here too when no merchant can live in them.
 */
export const specialIpv4: readonly Range[] = [
  ["0.0.0.0/8", "this host or network (RFC 791)"],
  ["10.0.0.0/8", "private network (RFC 1918)"],
  ["34.126.0.0/18", "private access to Google's APIs"],
  ["100.64.0.0/10", "shared behind carrier NAT (RFC 6598)"],
  ["127.0.0.0/8", "loopback (RFC 1122)"],
  ["169.254.0.0/16", "link-local and metadata servers (RFC 3927)"],
  ["172.16.0.0/12", "private network (RFC 1918)"],
  ["192.0.0.0/24", "protocol assignments (RFC 6890)"],
  ["192.0.2.0/24", "documentation (RFC 5737)"],
  ["192.31.196.0/24", "AS112 name servers (RFC 7535)"],
  ["192.52.193.0/24", "multicast tunnels (RFC 7450)"],
  ["192.88.99.0/24", "6to4 relay (RFC 7526)"],
  ["192.168.0.0/16", "private network (RFC 1918)"],
  ["192.175.48.0/24", "AS112 name servers (RFC 7534)"],
  ["198.18.0.0/15", "benchmarking (RFC 2544)"],
  ["198.51.100.0/24", "documentation (RFC 5737)"],
  ["199.36.153.4/30", "restricted access to Google's APIs"],
  ["199.36.153.8/30", "private access to Google's APIs"],
  ["203.0.113.0/24", "documentation (RFC 5737)"],
  ["224.0.0.0/4", "multicast (RFC 1112)"],
  ["240.0.0.0/4", "reserved, broadcast included (RFC 1112, RFC 919)"],
];

/**
 * IPv6. The registry at the state of 2025, and every way to write an IPv4 address into an IPv6 one: those are refused
 * whole, because a translator on the way would dial the address inside. Beyond this list only 2000::/3 is dialled, the one
 * block from which IANA gives out public addresses.
 */
export const specialIpv6: readonly Range[] = [
  ["::/128", "unspecified (RFC 4291)"],
  ["::1/128", "loopback (RFC 4291)"],
  ["::/96", "IPv4-compatible (RFC 4291)"],
  ["::ffff:0:0/96", "IPv4-mapped (RFC 4291)"],
  ["::ffff:0:0:0/96", "IPv4-translated (RFC 2765)"],
  ["64:ff9b::/96", "NAT64 (RFC 6052)"],
  ["64:ff9b:1::/48", "NAT64 of a local network (RFC 8215)"],
  ["100::/64", "discard only (RFC 6666)"],
  ["100:0:0:1::/64", "dummy prefix (RFC 9780)"],
  ["2001::/32", "Teredo (RFC 4380)"],
  ["2001::/23", "protocol assignments (RFC 2928)"],
  ["2001:db8::/32", "documentation (RFC 3849)"],
  ["2001:4860:8040::/42", "private access to Google's APIs"],
  ["2002::/16", "6to4 (RFC 3056)"],
  ["2600:2d00:2:1000::/56", "restricted access to Google's APIs"],
  ["2600:2d00:2:2000::/56", "private access to Google's APIs"],
  ["2620:4f:8000::/48", "AS112 name servers (RFC 7534)"],
  ["3fff::/20", "documentation (RFC 9637)"],
  ["5f00::/16", "segment routing (RFC 9602)"],
  ["fc00::/7", "unique local, metadata servers included (RFC 4193)"],
  ["fe80::/10", "link-local (RFC 4291)"],
  ["fec0::/10", "site-local (RFC 3879)"],
  ["ff00::/8", "multicast (RFC 4291)"],
];
