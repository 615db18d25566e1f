// The laptop's identity tokens: what they say, and that nothing but its own unexpired tokens passes.
import { createHmac } from "node:crypto";
import { type TokenIssuer, tokenIssuer } from "../../local/token-issuer.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";

const startMs = Date.UTC(2026, 0, 15);
const wanted = { account: "caller@local-project.iam.gserviceaccount.com", audience: "https://ledger-writer.example" };

let clock: ManualClock;
let issuer: TokenIssuer;
beforeEach(async () => {
  clock = manualClock(startMs);
  issuer = await tokenIssuer(clock);
});

const partsOf = (token: string) => token.split(".");
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("an identity token", () => {
  test("says what Google's say", () => {
    const claims = issuer.check(issuer.issue(wanted));

    expect(claims).toEqual({
      iss: "https://accounts.google.com",
      aud: wanted.audience,
      azp: expect.stringMatching(/^\d{21}$/),
      sub: claims?.azp,
      email: wanted.account,
      email_verified: true,
      iat: startMs / 1000,
      exp: startMs / 1000 + 3600,
    });
    expect(JSON.parse(Buffer.from(partsOf(issuer.issue(wanted))[0] ?? "", "base64url").toString())).toMatchObject({
      alg: "RS256",
    });
  });

  test("ends after an hour", async () => {
    const token = issuer.issue(wanted);
    await clock.advance(3_599_000);
    const before = issuer.check(token);
    await clock.advance(1_000);

    expect([before?.email, issuer.check(token)]).toEqual([wanted.account, undefined]);
  });

  test("of another laptop is worth nothing here", async () => {
    const other = await tokenIssuer(clock);

    expect(issuer.check(other.issue(wanted))).toBeUndefined();
  });

  test.each([
    ["whose claims were changed", ([head, , signature]: string[]) => [head, encoded({ email: "admin" }), signature]],
    ["without a signature", ([head, claims]: string[]) => [head, claims, ""]],
    [
      "whose signature the platform took off",
      ([head, claims]: string[]) => [head, claims, "SIGNATURE_REMOVED_BY_GOOGLE"],
    ],
    ["that asks for no signature", ([, claims]: string[]) => [encoded({ alg: "none" }), claims, "x"]],
    ["that asks for none and has none", ([, claims]: string[]) => [encoded({ alg: "none" }), claims, ""]],
    [
      "whose claims were changed and that asks for none",
      ([, , signature]: string[]) => [encoded({ alg: "none" }), encoded({ email: "admin" }), signature],
    ],
    [
      "that is signed with a secret instead of a key (HS256)",
      ([, claims]: string[]) => {
        const text = `${encoded({ alg: "HS256" })}.${claims}`;
        return [...text.split("."), createHmac("sha256", "laptop").update(text).digest("base64url")];
      },
    ],
    [
      "that names another key",
      ([, claims, signature]: string[]) => [
        encoded({ alg: "RS256", kid: "mine", jku: "https://x/" }),
        claims,
        signature,
      ],
    ],
    ["with one more part", (parts: string[]) => [...parts, "x"]],
    [
      "with half of its signature",
      ([head, claims, signature = ""]: string[]) => [head, claims, signature.slice(0, 200)],
    ],
  ])("%s is refused", (_title, change) => {
    expect(issuer.check(change(partsOf(issuer.issue(wanted))).join("."))).toBeUndefined();
  });

  test.each(["", "sk_test_first_account_1111", "a.b.c", "."])("is not %j", (text) => {
    expect(issuer.check(text)).toBeUndefined();
  });
});
