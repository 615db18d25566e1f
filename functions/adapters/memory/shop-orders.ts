/**
 * The sample shop's orders in memory, for the laptop and for tests: same answers as Firestore's.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Order } from "../../domain/order.ts";
import type { ShopOrders } from "../../flows/shop-ports.ts";

/** No orders yet. */
export function memoryShopOrders(): MemoryShopOrders {
  const orders = new Map<string, Order>();
  return {
    create: async (offered) => {
      const order = structuredClone(offered);
      await nextTurn();
      const standing = orders.get(order.id);
      if (standing !== undefined) return { kind: "exists", order: structuredClone(standing) };
      orders.set(order.id, order);
      return { kind: "created", order: structuredClone(order) };
    },
    read: async (id) => {
      await nextTurn();
      return structuredClone(orders.get(id));
    },
    change: async (id, change) => {
      await nextTurn();
      const standing = orders.get(id);
      if (standing === undefined) return undefined;
      const given = structuredClone(standing);
      const changed = change(given);
      if (changed === undefined || changed === given) return { order: given, isChanged: false };
      orders.set(id, structuredClone(changed));
      return { order: structuredClone(changed), isChanged: true };
    },
    all: () => structuredClone([...orders.values()]),
  };
}

/** The orders with what tests may do beyond the port. */
export interface MemoryShopOrders extends ShopOrders {
  /** A copy of every order, oldest first. */
  all(): readonly Order[];
}
