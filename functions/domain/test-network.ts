/**
 * The names that the test acquirer gives: its references, and the keys of the lines beside an order's own one.
 * It holds no behaviour: what the network does with an order is in the flows.
 */

/** Begins the network's name of an authorization; what follows is the key of its line. */
export const authorizationPrefix = "auth_";

/** Begins the network's name of a challenge; what follows is the key of its order's line. */
export const challengePrefix = "3ds_";

/** Keys of the lines beside an order's own one. */
export const besideKey = {
  /** The buyer's answer to its challenge. */
  challengeAnswer: (key: string) => `${key}_answer`,
  /** Its void by key. */
  keyVoid: (key: string) => `${key}_void`,
  /** The first sight of an order that the network pretends not to know. */
  firstSight: (key: string) => `${key}_seen`,
} as const;

/** What an order about an authorization does not say. */
export const noAuthorization = {
  paymentMethodToken: null,
  captureLater: false,
  challengeReturnUrl: null,
  authentication: null,
} as const;
