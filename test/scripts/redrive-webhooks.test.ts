// The redrive of a merchant's dead deliveries, through a payments API on loopback: what was shown is what is sent, once.
// It must never reach anything but that API, nor find the merchant's key in what the command writes down.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { newDelivery, unsent } from "../../functions/domain/delivery-record.ts";
import type { WebhookDelivery } from "../../functions/domain/webhook-delivery.ts";
import { redrive } from "../../scripts/redrive.ts";
import { openShop, type Shop } from "../journey/stripe-shop.ts";
import { apiKeys } from "../support/world.ts";

let folder: string;
let shop: Shop;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "redrive-webhooks-"));
  shop = await openShop();
});
afterEach(() => {
  shop.close();
  rmSync(folder, { recursive: true, force: true });
});

const atShop = (key: string = apiKeys.first) => ["--url", `http://127.0.0.1:${shop.line.port}`, "--key", key];

/** What the command said, and how it ended. */
async function run(...args: string[]) {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await redrive(["--from", "webhooks", ...args], {
    environment: { LAPTOP_FOLDER: folder },
    say,
    complain: say,
  });
  return { code, lines };
}

async function openEndpoint(): Promise<string> {
  const { id } = await shop.stripe.webhookEndpoints.create({
    url: "https://shop.example/hooks",
    enabled_events: ["*"],
  });
  return id;
}

/** A delivery that used up its three days. */
async function bury(eventId: string, endpointId: string): Promise<WebhookDelivery> {
  const nowMs = shop.world.clock.now();
  const body = Buffer.from("{}");
  const fresh = newDelivery(
    { accountId: "acct_first", endpointId, eventId, eventType: "charge.succeeded", body },
    nowMs,
  );
  const dead = unsent(
    fresh,
    { kind: "schedule", number: 10 },
    { kind: "dead_letter", reason: "exhausted", disablesEndpoint: false },
    nowMs,
  );
  await shop.world.deliveries.create(dead);
  return dead;
}

const stateOf = async ({ id }: WebhookDelivery) => (await shop.world.deliveries.read(id))?.delivery.state;

describe("npm run redrive -- --from webhooks", () => {
  test("shows a plan, sends exactly that one, and the second time only says what it did", async () => {
    const endpoint = await openEndpoint();
    const shown = await bury("evt_1", endpoint);

    const dry = await run("--dry-run", ...atShop());
    const later = await bury("evt_2", endpoint);
    const plan = /^plan ([0-9a-f]{16})$/m.exec(dry.lines.join("\n"))?.[1] ?? "";
    expect(dry).toEqual({
      code: 0,
      lines: [
        "1 delivery would be sent again, each for three days more:",
        `  ${shown.id}  charge.succeeded  evt_1  to ${endpoint}  exhausted`,
        `plan ${plan}`,
        `npm run redrive -- --from webhooks --run ${plan} --url http://127.0.0.1:${shop.line.port} --key KEY`,
      ],
    });
    expect(await stateOf(shown)).toBe("dead");

    const done = await run("--run", plan, ...atShop());
    expect(done.lines).toEqual([
      expect.stringMatching(new RegExp(`^plan ${plan} done \\S+: 1 delivery sent again, 0 refused$`)),
    ]);
    expect([await stateOf(shown), await stateOf(later)]).toEqual(["pending", "dead"]);
    expect(await run("--run", plan, ...atShop())).toEqual(done);
    expect(shop.world.wakeUps.takeDue()).toHaveLength(1);
  });

  test("is finished by the same command when an answer got lost, and nothing is sent twice", async () => {
    const endpoint = await openEndpoint();
    const buried = [await bury("evt_1", endpoint), await bury("evt_2", endpoint), await bury("evt_3", endpoint)];
    const plan = (await run("--dry-run", ...atShop())).lines.at(-2)?.slice("plan ".length) ?? "";

    shop.line.cutNextAnswerAfter(0);
    const broken = await run("--run", plan, ...atShop());
    expect([broken.code, broken.lines.at(-1)]).toEqual([1, expect.stringContaining("run the same command again")]);
    const done = await run("--run", plan, ...atShop());

    expect(done.lines.at(-1)).toMatch(/: 3 deliveries sent again, 0 refused$/);
    expect(await Promise.all(buried.map(stateOf))).toEqual(["pending", "pending", "pending"]);
    expect(shop.world.wakeUps.takeDue()).toHaveLength(3);
  });

  test("says which one is refused, and why", async () => {
    const endpoint = await openEndpoint();
    const { id } = await bury("evt_1", endpoint);
    const plan = (await run("--dry-run", ...atShop())).lines.at(-2)?.slice("plan ".length) ?? "";
    await shop.stripe.webhookEndpoints.update(endpoint, { disabled: true });

    const { lines } = await run("--run", plan, ...atShop());

    expect(lines[0]).toBe(`  ${id}  not sent: The webhook endpoint is disabled or deleted, so nothing is sent to it.`);
    expect(lines[1]).toMatch(/: 0 deliveries sent again, 1 refused$/);
  });

  test("does nothing for another merchant's plan, and never writes a key down", async () => {
    const buried = await bury("evt_1", await openEndpoint());
    const plan = (await run("--dry-run", ...atShop())).lines.at(-2)?.slice("plan ".length) ?? "";

    expect((await run("--dry-run", ...atShop(apiKeys.second))).lines).toEqual(["no delivery waits to be sent again"]);
    expect((await run("--run", plan, ...atShop(apiKeys.second))).lines[0]).toContain(
      `not sent: No such webhook delivery`,
    );
    expect(await stateOf(buried)).toBe("dead");
    const files = readdirSync(path.join(folder, "redrives"));
    const written = files.map((name) => readFileSync(path.join(folder, "redrives", name), "utf8"));
    expect(written.join("")).not.toContain("sk_test");
  });

  test.each([
    [["--dry-run"], "--from webhooks needs --url and --key", 1],
    [["--dry-run", "--url", "localhost:4242", "--key", "k"], "--url must begin with http:// or https://", 2],
    [
      ["--run", "0123456789abcdef", "--url", "http://127.0.0.1:9", "--key", "k"],
      "there is no plan 0123456789abcdef",
      1,
    ],
  ])("says what is wrong with %j", async (args, words, code) => {
    const end = await run(...(args as string[]));

    expect(end.code).toBe(code);
    expect(end.lines[0]).toContain(words);
  });
});
