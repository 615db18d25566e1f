// An entry that calls Google's clients once in each way the adapters do; bundled-clients.emulator.test.ts bundles it.
// It must never be deployed: it is no function of the product.
import { Firestore } from "@google-cloud/firestore";
import { http } from "@google-cloud/functions-framework";
import { MutationSet, Spanner } from "@google-cloud/spanner";
import { openPubsub } from "../../functions/adapters/pubsub.ts";

const projectId = process.env["PROJECT_ID"] ?? "";
const firestore = new Firestore({ projectId, databaseId: "bundle-test" });
const spanner = new Spanner({ projectId, disableBuiltInMetrics: true });
const database = spanner.instance("bundle-test").database("bundle-test");
database["on"]("error", () => {});
process.on("SIGTERM", () => process.exit(0));

const calls: Record<string, () => Promise<unknown>> = {
  firestoreCreate: async () => {
    await firestore.doc("keys/one").create({ generation: 1, body: Buffer.from("bytes") });
    return codeOf(firestore.doc("keys/one").create({ generation: 2 }));
  },
  firestoreUpdate: async () => {
    const lastUpdateTime = (await firestore.doc("keys/one").get()).updateTime;
    if (lastUpdateTime === undefined) return "no update time";
    await firestore.doc("keys/one").update({ generation: 3 }, { lastUpdateTime });
    return codeOf(firestore.doc("keys/one").update({ generation: 4 }, { lastUpdateTime }));
  },
  firestoreQuery: async () => (await firestore.collection("keys").where("generation", "==", 3).get()).size,
  spannerBlindInsert: async () => {
    const mutations = new MutationSet();
    mutations.insert("Things", { Id: "one", Amount: Spanner.int("9007199254740993"), Body: Buffer.from("bytes") });
    await database.writeAtLeastOnce(mutations);
    return codeOf(database.writeAtLeastOnce(mutations));
  },
  spannerTransaction: async () =>
    database.runTransactionAsync(async (transaction) => {
      const sql = "UPDATE Things SET Amount = Amount + 1 WHERE Id = @id";
      const [changed] = await transaction.runUpdate({ sql, params: { id: "one" } });
      await transaction.commit();
      return changed;
    }),
  spannerRead: async () => {
    const [rows] = await database.table("Things").read({ keys: ["one"], columns: ["Amount"] });
    return rows[0]?.toJSON({ wrapNumbers: true })["Amount"].value;
  },
  spannerQuery: async () => {
    const types = { ids: { type: "array", child: "string" } } as const;
    const sql = "SELECT COUNT(*) AS Things FROM Things WHERE Id IN UNNEST(@ids)";
    const [rows] = await database.run({ sql, params: { ids: ["one"] }, types, json: true });
    return rows[0];
  },
  // Where there is no emulator of it the topic is empty, and nothing is sent.
  pubsubPublish: async () => {
    const topic = process.env["TOPIC"] ?? "";
    const bus = openPubsub({ projectId, topic }, process.env);
    return topic === ""
      ? "sent"
      : await bus.publish([{ data: Buffer.from("bytes"), attributes: { of: "a bundle" } }]).then(() => "sent");
  },
};

http("bundled-clients", async (request, response) => {
  if (request.path === "/health") {
    response.json({});
    return;
  }
  const answers: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(calls)) answers[name] = await call().catch(String);
  response.json(answers);
});

/** The gRPC code with which the call is refused. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => "not refused",
    (error: { code?: number }) => error.code,
  );
}
