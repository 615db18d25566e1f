// The calls on refunds with all their fields, for the table of bad input.
// It must never be read from the code: a field that one of the two does not know turns a test red.

import { refundCancel, refundList, showRefund } from "../../functions/edge/refund-endpoints.ts";
import { createRefundParameters, updateRefundParameters } from "../../functions/edge/refund-parameters.ts";
import { type EndpointDescription, expanding, listing, metadataFields, readerOf } from "./endpoint-description.ts";

/** Every call on a refund that has parameters. */
export const refundEndpoints: readonly EndpointDescription[] = [
  {
    title: "create refund",
    needs: "paid",
    method: "POST",
    path: () => "/v1/refunds",
    base: ({ intent }) => [`payment_intent=${intent}`, "amount=5"],
    whole: "payment_intent=pi_1",
    read: createRefundParameters,
    fields: [
      { name: "payment_intent", kind: "id", required: true },
      { name: "charge", kind: "id" },
      { name: "amount", kind: "amount" },
      { name: "reason", kind: "choice" },
      ...metadataFields,
      ...expanding,
    ],
  },
  {
    title: "update refund",
    needs: "refunded",
    method: "POST",
    path: ({ refund }) => `/v1/refunds/${refund}`,
    base: () => [],
    whole: "",
    read: updateRefundParameters,
    fields: [...metadataFields, ...expanding],
  },
  {
    title: "cancel refund",
    needs: "refunded",
    method: "POST",
    path: ({ refund }) => `/v1/refunds/${refund}/cancel`,
    base: () => [],
    whole: "",
    read: readerOf(refundCancel),
    neverAllowed: true,
    fields: expanding,
  },
  {
    title: "retrieve refund",
    needs: "refunded",
    method: "GET",
    path: ({ refund }) => `/v1/refunds/${refund}`,
    base: () => [],
    whole: "",
    read: readerOf(showRefund),
    fields: expanding,
  },
  {
    title: "list refunds",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/refunds",
    base: () => [],
    whole: "created[gt]=1",
    read: readerOf(refundList),
    fields: [{ name: "payment_intent", kind: "id" }, { name: "charge", kind: "id" }, ...listing],
  },
];
