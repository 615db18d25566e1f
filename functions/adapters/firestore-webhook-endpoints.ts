/**
 * Webhook endpoints in Firestore: a document for each, one for each account that lists them, and one for each change.
 * It must never write without a precondition: the account's document is the lock of all its endpoints.
 */
import {
  type DocumentReference,
  type DocumentSnapshot,
  FieldValue,
  type Firestore,
  Timestamp,
  type WriteBatch,
} from "@google-cloud/firestore";
import type { WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { EndpointCommit, WebhookEndpoints } from "../flows/webhook-endpoint-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";
import { endpointOf, fieldsOfEndpoint, fieldsOfOutcome, outcomeOf } from "./firestore-webhook-endpoint-fields.ts";

/** The endpoints over three collections. */
export function firestoreWebhookEndpoints(store: EndpointCollections): WebhookEndpoints {
  return {
    read: (accountId, changeId) => translated(() => read(store, accountId, changeId)),
    commit: (commit) => translated(() => write(store, commit)),
  };
}

/** Where the endpoints live; `deleteAfter` is the timestamp field that the TTL policy of the changes watches. */
export interface EndpointCollections {
  readonly database: Firestore;
  readonly names: Readonly<Record<"webhookAccounts" | "webhookEndpoints" | "webhookChanges" | "deleteAfter", string>>;
}

/** Two BatchGetDocuments, one where the account has no endpoint. */
async function read(
  store: EndpointCollections,
  accountId: string,
  changeId: string | null,
): ReturnType<WebhookEndpoints["read"]> {
  const { database } = store;
  const asked = [
    documentIn(store, "webhookAccounts", accountId),
    ...(changeId === null ? [] : [documentIn(store, "webhookChanges", changeId)]),
  ];
  const [account, change] = await database.getAll(...asked);
  const ids = idsIn(account);
  const found =
    ids.length === 0 ? [] : await database.getAll(...ids.map((id) => documentIn(store, "webhookEndpoints", id)));
  // One that was deleted between the two reads is gone; whoever decides on the rest then meets another version.
  const endpoints = found.flatMap((snapshot) =>
    snapshot.exists ? [endpointOf(snapshot.id, snapshot.data() ?? {})] : [],
  );
  return {
    endpoints: endpoints.sort(newestFirst),
    version: account?.updateTime === undefined ? null : versionOf(account.updateTime),
    done: change?.exists ? outcomeOf(change.data() ?? {}) : undefined,
  };
}

/** One Commit of at most three documents. */
async function write(
  store: EndpointCollections,
  { accountId, version, write, change }: EndpointCommit,
): ReturnType<WebhookEndpoints["commit"]> {
  const batch = store.database.batch();
  const id = write.op === "delete" ? write.endpointId : write.endpoint.id;
  const endpoint = documentIn(store, "webhookEndpoints", id);
  if (write.op === "create") batch.create(endpoint, fieldsOfEndpoint(write.endpoint));
  // Every endpoint has every field, so an update of all of them leaves nothing of the former one behind.
  if (write.op === "update") batch.update(endpoint, fieldsOfEndpoint(write.endpoint), { exists: true });
  if (write.op === "delete") batch.delete(endpoint, { exists: true });
  lockAccount(batch, documentIn(store, "webhookAccounts", accountId), version, write.op, id);
  if (change !== null) {
    batch.create(documentIn(store, "webhookChanges", change.id), {
      ...fieldsOfOutcome(change.outcome),
      [store.names.deleteAfter]: Timestamp.fromMillis(change.createdAtMs + changeKeptMs),
    });
  }
  try {
    await batch.commit();
    return "committed";
  } catch (error) {
    const lost = [grpcCodes.alreadyExists, grpcCodes.failedPrecondition, grpcCodes.notFound];
    if (lost.some((code) => hasGrpcCode(error, code))) return "conflict";
    throw error;
  }
}

/** The counter makes each change a change: a write that leaves all fields alone would leave the version alone too. */
function lockAccount(
  batch: WriteBatch,
  account: DocumentReference,
  version: string | null,
  op: EndpointCommit["write"]["op"],
  id: string,
): void {
  if (version === null) {
    batch.create(account, { endpointIds: [id], changes: 1 });
    return;
  }
  const endpointIds = op === "delete" ? FieldValue.arrayRemove(id) : FieldValue.arrayUnion(id);
  // Safe although it counts: the precondition lets it happen once.
  const fields = { endpointIds, changes: FieldValue.increment(1) };
  batch.update(account, fields, { lastUpdateTime: timestampOf(version) });
}

/**
 * 90 days: the key row of a change that was never answered has no end, so its guard must outlast every client that still
 * repeats the request.
 */
const changeKeptMs = 90 * 24 * 60 * 60 * 1000;

/** Ids of accounts, endpoints and changes are made by us, so they are names that Firestore takes. */
function documentIn(
  store: EndpointCollections,
  kind: "webhookAccounts" | "webhookEndpoints" | "webhookChanges",
  id: string,
) {
  return store.database.collection(store.names[kind]).doc(id);
}

function idsIn(account: DocumentSnapshot | undefined): string[] {
  const ids: unknown = account?.get("endpointIds");
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

function newestFirst(one: WebhookEndpoint, other: WebhookEndpoint): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}

/** `1735689600.000001000`: exact, because a JavaScript date would cut the microseconds off. */
function versionOf(time: Timestamp): string {
  return `${time.seconds}.${String(time.nanoseconds).padStart(9, "0")}`;
}

function timestampOf(version: string): Timestamp {
  const [seconds, nanoseconds] = version.split(".");
  return new Timestamp(Number(seconds), Number(nanoseconds));
}
