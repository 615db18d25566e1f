/**
 * The endpoints of events (contract section 7).
 * They only read: an event is written by the change that it tells.
 */
import type Stripe from "stripe";
import { refuse } from "../domain/errors.ts";
import { type EventType, eventTypesMatching } from "../domain/events.ts";
import { listEvents, readEvent } from "../flows/read-events.ts";
import { createdRange, list } from "./collection-readers.ts";
import type { Call, EndpointDependencies, Serve } from "./endpoint.ts";
import { listBody } from "./list.ts";
import { bracketName } from "./parameter-tree.ts";
import { optional, type Reader, readParameters, withDefault } from "./read-parameters.ts";
import { id, integer, scalar } from "./scalar-readers.ts";
import { serializeEvent } from "./serialize-event.ts";

/** `GET /v1/events/:id`. */
export const showEvent: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: eventId, parameters }) => {
    readParameters(parameters, {});
    return serializeEvent(await readEvent(deps, { accountId, eventId }));
  },
};

/** `GET /v1/events`: newest first, with cursors and filters by type and time. */
export const eventList: Serve = { kind: "read", read: readList };

async function readList(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<Stripe.Event>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(id({ noun: "event", prefix: "evt_" })),
    ending_before: optional(id({ noun: "event", prefix: "evt_" })),
    type: optional(typePattern),
    types: optional(list(typePattern, { entriesMax: 20 })),
    created: withDefault(createdRange(), { createdFromMs: null, createdBeforeMs: null }),
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  if (values.type !== undefined && values.types !== undefined) {
    throw refuse("parameter_invalid", "Pass either type or types, not both.", { param: "types" });
  }
  const page = await listEvents(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
    types: values.type ?? values.types?.flat() ?? null,
    ...values.created,
  });
  return listBody({ url: "/v1/events", data: page.events.map(serializeEvent), hasMore: page.hasMore });
}

/** A type of event, or a pattern with a star at its end; one that matches nothing is a mistake. */
const typePattern: Reader<readonly EventType[]> = (parameter, path) => {
  const pattern = scalar(parameter, path, "a type of event");
  const types = eventTypesMatching(pattern);
  if (types.length > 0) return types;
  throw refuse("parameter_invalid", `There is no type of event like '${pattern.slice(0, 64).toWellFormed()}'.`, {
    param: bracketName(path),
  });
};
