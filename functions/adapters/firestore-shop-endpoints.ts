/**
 * The sample shop's webhook endpoint in Firestore: one document, made once, with the signing secret sealed.
 * It must never keep the secret as it is, nor replace the endpoint that stands.
 */
import type { Firestore } from "@google-cloud/firestore";
import type { SecretBox } from "../domain/secret-box.ts";
import type { ShopEndpoint, ShopEndpoints } from "../flows/shop-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The endpoint in one collection. */
export function firestoreShopEndpoints(store: EndpointStore): ShopEndpoints {
  return { read: () => translated(() => read(store)), keep: (endpoint) => translated(() => keep(store, endpoint)) };
}

/** Where it lives, and what seals its secret. */
export interface EndpointStore {
  readonly database: Firestore;
  readonly collection: string;
  readonly box: SecretBox;
}

/** One BatchGetDocuments. */
async function read(store: EndpointStore): Promise<ShopEndpoint | undefined> {
  const fields = (await document(store).get()).data();
  if (fields === undefined) return undefined;
  const { url, sealedSecret } = fields;
  if (typeof url !== "string" || typeof sealedSecret !== "string")
    throw new Error("The endpoint's document is unreadable.");
  return { url, secret: Buffer.from(store.box.open(sealedSecret, contextOf(url))).toString("utf8") };
}

/** One Commit; only when there is an endpoint, one BatchGetDocuments more. */
async function keep(store: EndpointStore, endpoint: ShopEndpoint): Promise<ShopEndpoint> {
  const { url, secret } = endpoint;
  try {
    await document(store).create({ url, sealedSecret: store.box.seal(Buffer.from(secret, "utf8"), contextOf(url)) });
    return endpoint;
  } catch (error) {
    if (!hasGrpcCode(error, grpcCodes.alreadyExists)) throw error;
  }
  const standing = await read(store);
  if (standing === undefined) throw new Error("The endpoint vanished; nothing may delete it.");
  return standing;
}

const contextOf = (url: string) => `shop endpoint ${url}`;

function document({ database, collection }: EndpointStore) {
  return database.collection(collection).doc("webhooks");
}
