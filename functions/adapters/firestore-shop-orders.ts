/**
 * The sample shop's orders in Firestore: one document per order, created once, changed under the version that was read.
 * It must never write without a precondition, and never delete: the TTL policy lets old orders go.
 */
import { type Firestore, Timestamp } from "@google-cloud/firestore";
import { refuse } from "../domain/errors.ts";
import { type Currency, currencies } from "../domain/money.ts";
import type { Order } from "../domain/order.ts";
import type { ShopOrders } from "../flows/shop-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The orders over one collection; `deleteAfterField` is the timestamp field that the TTL policy watches. */
export function firestoreShopOrders(store: OrderCollection): ShopOrders {
  return {
    create: (order) => translated(() => create(store, order)),
    read: (id) => translated(async () => (await find(store, id))?.order),
    change: (id, change) => translated(() => changeOrder(store, id, change)),
  };
}

/** Where the orders live. */
export interface OrderCollection {
  readonly database: Firestore;
  readonly collection: string;
  readonly deleteAfterField: string;
}

/** 90 days: longer than a buyer asks about a demonstration's order. */
const keptMs = 90 * 24 * 60 * 60 * 1000;

/** One Commit; only when the order is there, one BatchGetDocuments more. */
async function create(store: OrderCollection, order: Order): ReturnType<ShopOrders["create"]> {
  try {
    await document(store, order.id).create(fieldsOf(store, order));
    return { kind: "created", order };
  } catch (error) {
    if (!hasGrpcCode(error, grpcCodes.alreadyExists)) throw error;
  }
  const standing = await find(store, order.id);
  if (standing === undefined) throw refuse("store_unavailable", "The order vanished between create and read.");
  return { kind: "exists", order: standing.order };
}

/** One BatchGetDocuments and one Commit, both again when somebody else came between. */
async function changeOrder(
  store: OrderCollection,
  id: string,
  change: (order: Order) => Order | undefined,
): ReturnType<ShopOrders["change"]> {
  for (let round = 0; round < roundsMax; round += 1) {
    const found = await find(store, id);
    if (found === undefined) return undefined;
    const changed = change(found.order);
    if (changed === undefined || changed === found.order) return { order: found.order, isChanged: false };
    try {
      await document(store, id).update(fieldsOf(store, changed), { lastUpdateTime: found.updateTime });
      return { order: changed, isChanged: true };
    } catch (error) {
      // A lost reply of our own write comes here too: the next round finds it, and the change then changes nothing.
      if (!hasGrpcCode(error, grpcCodes.failedPrecondition)) throw error;
    }
  }
  throw refuse("store_unavailable", "The order was changed by others each time it was tried.");
}

/** Of twenty writers of one order each round lets one through; more than that no order has. */
const roundsMax = 25;

async function find(store: OrderCollection, id: string) {
  const snapshot = await document(store, id).get();
  const fields = snapshot.data();
  if (fields === undefined || snapshot.updateTime === undefined) return undefined;
  return { order: orderOf(id, fields), updateTime: snapshot.updateTime };
}

/** Ids are digests of ours (`orderIdOf`), so none of them is a name that Firestore reserves. */
function document(store: OrderCollection, id: string) {
  return store.database.collection(store.collection).doc(id);
}

/** Amounts are kept as decimal text: the client library reads integers as doubles, which are exact to 2^53 only. */
function fieldsOf(store: OrderCollection, { id: _id, amountMinor, refundedMinor, ...fields }: Order) {
  return {
    ...fields,
    amountMinor: String(amountMinor),
    refundedMinor: String(refundedMinor),
    [store.deleteAfterField]: Timestamp.fromMillis(fields.createdAtMs + keptMs),
  };
}

/** Checks what money follows from; nobody but `fieldsOf` writes here. */
function orderOf(id: string, fields: Record<string, unknown>): Order {
  const { itemId, quantity, currency, createdAtMs, attempt, cardToken, intentId, payment, paidAtMs, chargeVersion } =
    fields;
  if (typeof itemId !== "string" || typeof cardToken !== "string" || !isCurrency(currency)) throw unreadable();
  if (typeof quantity !== "number" || typeof createdAtMs !== "number" || typeof attempt !== "number")
    throw unreadable();
  if (intentId !== null && typeof intentId !== "string") throw unreadable();
  if (paidAtMs !== null && typeof paidAtMs !== "number") throw unreadable();
  if (typeof chargeVersion !== "number" || typeof payment !== "object" || payment === null) throw unreadable();
  return {
    ...{ id, itemId, quantity, currency, createdAtMs, attempt, cardToken, intentId, paidAtMs, chargeVersion },
    amountMinor: amountOf(fields["amountMinor"]),
    refundedMinor: amountOf(fields["refundedMinor"]),
    payment: payment as Order["payment"],
  };
}

function amountOf(value: unknown): bigint {
  if (typeof value !== "string" || !/^\d{1,18}$/.test(value)) throw unreadable();
  return BigInt(value);
}

function isCurrency(value: unknown): value is Currency {
  return typeof value === "string" && Object.hasOwn(currencies, value);
}

function unreadable(): Error {
  return new Error("An order's document lacks a field or has one of another type.");
}
