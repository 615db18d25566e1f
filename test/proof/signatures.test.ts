// Shows that unmodified receiving libraries accept what is signed here and refuse what a thief could send (issue 5, F33).
// It must never verify with the code under test: the libraries and a table made by another program judge.
import { readFileSync } from "node:fs";
import path from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import {
  activeSecrets,
  rotateSecret,
  type SignatureHeaders,
  type SigningSecret,
  signatureHeaders,
} from "../../functions/domain/signature.ts";

type Vectors = {
  readonly about: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly signing: readonly (Record<"title" | "id" | "body" | "Stripe-Signature" | "webhook-signature", string> & {
    readonly secrets: readonly string[];
    readonly signedAt: number;
  })[];
  readonly receipts: readonly {
    readonly title: string;
    readonly receivedAt: number;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly accepted: Readonly<Record<"stripe" | "standard" | "ours", boolean>>;
  }[];
};
const readJson = (file: string) => JSON.parse(readFileSync(path.join(import.meta.dirname, file), "utf8"));
const vectors: Vectors = readJson("signature-vectors.json");
const { devDependencies }: { devDependencies: Record<string, string> } = readJson("../../package.json");
const secretNamed = (name: string) => vectors.secrets[name] ?? "";

describe("what is signed", () => {
  test.each(vectors.signing)("has the signatures that another program computed: $title", (vector) => {
    const message = { id: vector.id, body: Buffer.from(vector.body), signedAtMs: vector.signedAt * 1000 + 999 };

    expect(signatureHeaders(message, vector.secrets.map(secretNamed))).toEqual({
      "Stripe-Signature": vector["Stripe-Signature"],
      "webhook-id": vector.id,
      "webhook-timestamp": String(vector.signedAt),
      "webhook-signature": vector["webhook-signature"],
    });
  });

  test("was written down for the releases of the libraries that judge here", () => {
    const releases = ["stripe", "standardwebhooks", "svix"].map((name) => `${name} ${devDependencies[name]}`);

    expect(releases.filter((release) => !vectors.about.includes(release))).toEqual([]);
  });

  test.each(vectors.signing)("is accepted by all three libraries, with any of its secrets: $title", (vector) => {
    const headers = {
      "Stripe-Signature": vector["Stripe-Signature"],
      "webhook-id": vector.id,
      "webhook-timestamp": String(vector.signedAt),
      "webhook-signature": vector["webhook-signature"],
    };

    const verdicts = vector.secrets.map((name) => judge(headers, vector.body, secretNamed(name), vector.signedAt));

    expect(verdicts).toEqual(vector.secrets.map(() => ({ stripe: true, standardwebhooks: true, svix: true })));
  });
});

describe("a receipt", () => {
  test.each(vectors.receipts)("is judged by the libraries as the table says: $title", (receipt) => {
    const { stripe, standard } = receipt.accepted;

    const verdict = judge(receipt.headers, receipt.body, secretNamed("current"), receipt.receivedAt);

    expect(verdict).toEqual({ stripe, standardwebhooks: standard, svix: standard });
  });
});

describe("F33: a late retry after a rotation", () => {
  const hourMs = 3_600_000;
  const createdAtMs = 1_800_000_000_000;
  const event = { id: "evt_1", body: Buffer.from('{"id":"evt_1","object":"event"}') };
  // Created at hour 0, rotated at hour 1 with 24 hours of overlap.
  const first: readonly SigningSecret[] = [{ secret: secretNamed("previous"), endsAtMs: null }];
  const rotation = {
    secret: secretNamed("current"),
    overlapMs: 24 * hourMs,
    nowMs: createdAtMs + hourMs,
    param: "expires_in",
  };
  const secrets = rotateSecret(first, rotation);
  const attemptAt = (hour: number) => {
    const nowMs = createdAtMs + hour * hourMs;
    const headers = signatureHeaders({ ...event, signedAtMs: nowMs }, activeSecrets(secrets, nowMs));
    const judged = (name: string) => judge(headers, event.body.toString(), secretNamed(name), nowMs / 1000);
    return { headers, judged };
  };
  const accepted = { stripe: true, standardwebhooks: true, svix: true };
  const refused = { stripe: false, standardwebhooks: false, svix: false };

  test("after ten hours it carries both signatures, and receivers with either secret accept it", () => {
    const { headers, judged } = attemptAt(10);

    expect(headers["Stripe-Signature"].match(/v1=/g)).toHaveLength(2);
    expect(headers["webhook-signature"].split(" ")).toHaveLength(2);
    expect([judged("current"), judged("previous")]).toEqual([accepted, accepted]);
  });

  test.each([30, 70])("after %s hours it is signed anew, with the new secret only", (hour) => {
    const { headers, judged } = attemptAt(hour);

    expect(headers["Stripe-Signature"].match(/v1=/g)).toHaveLength(1);
    expect([judged("current"), judged("previous")]).toEqual([accepted, refused]);
  });

  test("it keeps the event's id over all attempts", () => {
    expect([0, 10, 70].map((hour) => attemptAt(hour).headers["webhook-id"])).toEqual(["evt_1", "evt_1", "evt_1"]);
  });
});

/** Which libraries accept a request that arrives at a time. */
function judge(
  headers: SignatureHeaders | Readonly<Record<string, string>>,
  body: string,
  secret: string,
  receivedAt: number,
): Record<"stripe" | "standardwebhooks" | "svix", boolean> {
  const named: Readonly<Record<string, string>> = { ...headers };
  const raw = Buffer.from(body);
  const stripe = new Stripe("sk_test_unused");
  const stripeHeader = named["Stripe-Signature"] ?? "";
  return atTime(receivedAt * 1000, () => ({
    stripe: accepts(() => stripe.webhooks.constructEvent(raw, stripeHeader, secret)),
    standardwebhooks: accepts(() => new StandardWebhook(secret).verify(raw, named)),
    svix: accepts(() => new SvixWebhook(secret).verify(raw, named)),
  }));
}

function accepts(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

/** Runs with the clock that the libraries read standing at a time. */
function atTime<Result>(nowMs: number, run: () => Result): Result {
  const machineNow = Date.now;
  Date.now = () => nowMs;
  try {
    return run();
  } finally {
    Date.now = machineNow;
  }
}
