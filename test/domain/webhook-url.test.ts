// What a webhook endpoint's URL may look like (F39), and which origins of the own machine a laptop may add.
// It must never dial anything.
import { parseLoopbackOrigins, parseWebhookUrl } from "../../functions/domain/webhook-url.ts";

describe("F39 an accepted URL", () => {
  test.each([
    ["https://shop.example.com/hooks?x=1", { host: "shop.example.com", port: 443, path: "/hooks?x=1" }],
    ["https://shop.example.com", { host: "shop.example.com", port: 443, path: "/" }],
    ["HTTPS://Shop.Example.COM:443/A", { host: "shop.example.com", port: 443, path: "/A" }],
    ["https://shop.example.com:8443/", { host: "shop.example.com", port: 8443, path: "/" }],
    ["https://shop.example.com:65535/", { host: "shop.example.com", port: 65_535, path: "/" }],
    ["https://bücher.example/ä?ö", { host: "xn--bcher-kva.example", port: 443, path: "/%C3%A4?%C3%B6" }],
    ["https://8.8.8.8/", { host: "8.8.8.8", port: 443, path: "/" }],
    ["https://[2606:4700:4700::1111]:8443/", { host: "2606:4700:4700::1111", port: 8443, path: "/" }],
    ["https://a_b.example.com/", { host: "a_b.example.com", port: 443, path: "/" }],
    ["https://shop.example.com/../x/./y", { host: "shop.example.com", port: 443, path: "/x/y" }],
  ])("%s", (text, parts) => {
    expect(parseWebhookUrl(text)).toEqual({ kind: "target", secure: true, loopbackOnly: false, ...parts });
  });

  test("has 2,048 characters at most", () => {
    const start = "https://shop.example.com/";

    expect(parseWebhookUrl(start.padEnd(2048, "x")).kind).toBe("target");
    expect(parseWebhookUrl(start.padEnd(2049, "x"))).toMatchObject({ reason: expect.stringContaining("2048") });
  });
});

describe("F39 a refused URL", () => {
  test.each([
    ["credentials", "https://u:p@shop.example.com/", "user name or a password"],
    ["a user name", "https://u@shop.example.com/", "user name or a password"],
    ["empty credentials", "https://@shop.example.com/", "user name or a password"],
    ["a host behind credentials", "https://shop.example.com:443@10.0.0.1/", "user name or a password"],
    ["a port that is none", "https://shop.example.com:99999/", "cannot be read"],
    ["a fragment", "https://shop.example.com/#x", "fragment"],
    ["an empty fragment", "https://shop.example.com/#", "fragment"],
    ["another scheme", "ftp://shop.example.com/", "start with https:// and a host"],
    ["a script", "javascript:alert(1)", "start with https:// and a host"],
    ["plain http", "http://shop.example.com/", "start with https://"],
    ["no scheme", "shop.example.com/", "start with https:// and a host"],
    ["no slashes", "https:shop.example.com", "start with https:// and a host"],
    ["three slashes", "https:///shop.example.com/", "start with https:// and a host"],
    ["no host", "https://", "start with https:// and a host"],
    ["a port without a host", "https://:443/", "cannot be read"],
    ["a dot at the end", "https://shop.example.com./", "end with a dot"],
    ["a backslash", "https://shop.example.com\\@evil.example/", "backslashes"],
    ["a tab", "https://shop.exam\tple.com/", "control characters"],
    ["a newline", "https://shop.example.com/\nx", "control characters"],
    ["a space before it", " https://shop.example.com/", "spaces"],
    ["a space behind it", "https://shop.example.com/ ", "spaces"],
    ["a no-break space", "https://shop.example.com/\u00a0", "spaces"],
    ["a NUL", "https://shop.example.com/\0", "control characters"],
    ["a name without a dot", "https://shop/", "public host"],
    ["a name of a private network", "https://db.internal/", "public host"],
    ["an empty label", "https://shop..example.com/", "no name that the DNS can hold"],
    ["a label of 64 characters", `https://${"a".repeat(64)}.example.com/`, "no name that the DNS can hold"],
    ["a name of 254 characters", `https://${"a.".repeat(125)}shop/`, "no name that the DNS can hold"],
    ["a broken IPv6 address", "https://[::1/", "cannot be read"],
    ["a number that is no address", "https://1.2.3.4.5/", "cannot be read"],
    ["nothing", "", "start with https:// and a host"],
  ])("%s", (_title, text, reason) => {
    const result = parseWebhookUrl(text);

    expect(result).toEqual({ kind: "refused", reason: expect.stringContaining(reason) });
  });

  test("is not repeated in the reason, for it may hold a password", () => {
    const result = parseWebhookUrl("https://merchant:hunter2@shop.example.com/");

    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});

describe("plain http, where the stage allows it", () => {
  const policy = { httpAllowed: true, loopback: [] };

  test.each([
    ["http://shop.example.com/hook", 80],
    ["http://shop.example.com:8080/hook", 8080],
  ])("is accepted: %s", (url, port) => {
    expect(parseWebhookUrl(url, policy)).toMatchObject({ kind: "target", secure: false, port, loopbackOnly: false });
  });

  test.each([
    "http://shop.example.com:443/",
    "https://shop.example.com:80/",
    "http://10.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://metadata.google.internal/",
    "http://u:p@shop.example.com/",
  ])("opens nothing else: %s is refused", (url) => {
    expect(parseWebhookUrl(url, policy).kind).toBe("refused");
  });
});

describe("origins of the own machine", () => {
  const loopback = parseLoopbackOrigins("http://127.0.0.1:*, http://localhost:3000,https://[::1]:8443");
  const policy = { httpAllowed: false, loopback };

  test.each([
    ["http://127.0.0.1:5123/hook", { secure: false, host: "127.0.0.1", port: 5123 }],
    ["http://2130706433:5123/", { secure: false, host: "127.0.0.1", port: 5123 }],
    ["http://localhost:3000/", { secure: false, host: "localhost", port: 3000 }],
    ["https://[::1]:8443/", { secure: true, host: "::1", port: 8443 }],
  ])("are accepted when listed: %s", (url, parts) => {
    expect(parseWebhookUrl(url, policy)).toMatchObject({ kind: "target", loopbackOnly: true, ...parts });
  });

  test.each([
    "http://localhost:3001/",
    "https://localhost:3000/",
    "https://127.0.0.1:5123/",
    "http://127.0.0.2:5123/",
    "http://[::1]:8443/",
    "http://169.254.169.254/",
    "http://127.0.0.1:0/",
  ])("are refused when not listed: %s", (url) => {
    expect(parseWebhookUrl(url, policy).kind).toBe("refused");
  });

  test("are none without a setting", () => {
    expect(parseLoopbackOrigins("")).toEqual([]);
    expect(parseWebhookUrl("http://127.0.0.1:5123/").kind).toBe("refused");
  });

  test.each([
    "http://10.0.0.1:80",
    "http://169.254.169.254:80",
    "http://*:80",
    "http://metadata.google.internal:80",
    "http://shop.example.com:443",
    "http://localhost",
    "http://localhost:0",
    "http://localhost:70000",
    "http://localhost:3000/path",
    "ftp://localhost:21",
    "*",
  ])("must be of this machine and name a port: %s is refused", (text) => {
    expect(() => parseLoopbackOrigins(text)).toThrow("Not an origin of this machine");
  });
});
