// Invariants about events: that each change told of itself, and that everybody who had to hear of it did.
// It must never count what the bus carried: only effects at the consumers, and what receivers wrote down.
import { createHmac } from "node:crypto";
import type { Aftermath } from "../aftermath.ts";

/** Counts by type and object, held against the rows that the events are about. */
export function everyPaymentHasItsEvents({ stores: { tables } }: Pick<Aftermath, "stores">): string[] {
  const expected = new Map<string, number>();
  const expect = (type: string, id: string, count = 1) =>
    expected.set(`${type} ${id}`, (expected.get(`${type} ${id}`) ?? 0) + count);
  for (const { id, status } of tables.rows("payment_intents")) {
    expect("payment_intent.created", id);
    if (status === "succeeded") expect("payment_intent.succeeded", id);
    if (status === "canceled") expect("payment_intent.canceled", id);
  }
  for (const { id, intentId, status, attemptId, capturedMinor } of tables.rows("charges")) {
    const attempt = tables.row("attempts", attemptId);
    if (status === "succeeded") expect("charge.succeeded", id);
    if (status === "succeeded" && attempt?.captureLater === true && capturedMinor > 0n) expect("charge.captured", id);
    if (status === "failed") expect("charge.failed", id);
    if (status === "failed") expect("payment_intent.payment_failed", intentId);
  }
  for (const { id, chargeId, status } of tables.rows("refunds")) {
    expect("refund.created", id);
    if (status === "failed") expect("refund.failed", id);
    if (status === "succeeded") expect("charge.refunded", chargeId);
  }
  const told = new Map<string, number>();
  for (const { type, objectId } of tables.rows("events"))
    told.set(`${type} ${objectId}`, (told.get(`${type} ${objectId}`) ?? 0) + 1);
  // These tell of a way, not of an end: how many there are depends on it.
  const onTheWay = ["processing", "requires_action", "capturable", "pending", "payment_failed", "refund.updated"];
  return [
    ...[...expected]
      .filter(
        ([name, count]) =>
          told.get(name) !== count && !onTheWay.some((word) => name.includes(word) && (told.get(name) ?? 0) > count),
      )
      .map(([name, count]) => `${name} was told ${told.get(name) ?? 0} times instead of ${count}`),
    ...[...told.keys()]
      .filter((name) => !expected.has(name) && !onTheWay.some((word) => name.includes(word)))
      .map((name) => `${name} never happened`),
  ];
}

/** Invoices, mails and the risk consumer's markers, by the events that asked for them. */
export function everyEventHasItsEffects({ stores, faults }: Aftermath): string[] {
  const events = stores.tables.rows("events").map(({ id, type, objectId, data }) => ({
    ...{ id, type, objectId },
    object: JSON.parse(Buffer.from(data).toString("utf8")).object,
  }));
  const invoices = new Map(stores.documents.all("invoices").map(({ id, fields }) => [id, fields]));
  const paid = events.filter(({ type }) => type === "payment_intent.succeeded");
  const receipts = events.filter(({ type, object }) => {
    return (type === "charge.succeeded" || type === "charge.captured") && object.captured && object.receipt_email;
  });
  const mailed = new Set(receipts.map(({ object }) => object.payment_intent));
  const copies = new Map<string, string[]>();
  for (const mail of stores.mails)
    copies.set(mail.messageId, [...(copies.get(mail.messageId) ?? []), JSON.stringify(mail)]);
  const extra = stores.mails.length - copies.size;
  const done = new Set(
    stores.consumers
      .markers()
      .filter(({ consumer, state }) => consumer === "risk" && state === "done")
      .map(({ eventId }) => eventId),
  );
  const tried = events.filter(({ type }) => type === "charge.succeeded" || type === "charge.failed");
  return [
    ...paid
      .filter(({ objectId, object }) => invoices.get(objectId)?.["amountMinor"] !== String(object.amount_received))
      .map(({ objectId }) => `${objectId} has no invoice of its amount`),
    ...(invoices.size === paid.length ? [] : [`${invoices.size} invoices for ${paid.length} payments`]),
    ...(copies.size === mailed.size ? [] : [`${copies.size} receipts for ${mailed.size} payments`]),
    ...[...copies].filter(([, all]) => new Set(all).size > 1).map(([id]) => `copies of ${id} differ`),
    // A process that was disturbed may have had some requests at once, and each may hand its mail over once more.
    ...(extra <= 4 * faults.disturbances("notification") ? [] : [`${extra} mails too many`]),
    ...tried.filter(({ id }) => !done.has(id)).map(({ id }) => `risk never heard of ${id}`),
  ];
}

/** One delivery for each event and endpoint, at its end; and where the receiver recovers, the end is success. */
export function everyDeliveryEnds({ stores, client, receivers }: Aftermath): string[] {
  const deliveries = new Map(
    stores.deliveries.everything().map((each) => [`${each.eventId} ${each.endpointId}`, each]),
  );
  const taken = new Set(
    receivers.received.filter(({ isTaken }) => isTaken).map(({ url, headers }) => `${headers["webhook-id"]} ${url}`),
  );
  const events = stores.tables.rows("events");
  const problems = [...deliveries.values()]
    .filter(({ state }) => state === "pending")
    .map(({ id, body, ...rest }) => `${id} has not ended ${JSON.stringify(rest)}`);
  for (const endpoint of stores.endpoints.everything()) {
    const heardAtMs = Math.min(...client.answers.filter(({ json }) => json.id === endpoint.id).map(({ atMs }) => atMs));
    // Clocks differ by a second, and the endpoint's time counts whole seconds.
    const wanted = events.filter(
      ({ accountId, type, createdAtMs }) =>
        accountId === endpoint.accountId &&
        createdAtMs > heardAtMs + 3_000 &&
        (endpoint.enabledEvents.includes("*") || endpoint.enabledEvents.includes(type)),
    );
    const temperament = receivers.at(endpoint.url)?.temperament ?? "hopeless";
    for (const event of wanted) {
      const delivery = deliveries.get(`${event.id} ${endpoint.id}`);
      const place = `${event.id} to ${temperament} ${endpoint.url}`;
      if (delivery === undefined && endpoint.status === "enabled") problems.push(`${place} was never begun`);
      if (delivery?.state === "delivered" && !taken.has(`${event.id} ${endpoint.url}`))
        problems.push(`${place} never arrived`);
      if (delivery?.state === "dead" && !["hopeless", "redirects", "gone"].includes(temperament))
        problems.push(`${place} is dead: ${delivery.dead?.reason}`);
    }
  }
  return problems;
}

/**
 * A process that stands still between signing and sending brings a signature of minutes, which its receiver refuses; that is
 * one attempt, and the next one signs anew. A signature that is kept for later attempts is older than this.
 */
const signatureAgeMsMax = 15 * 60_000;

/** Signatures as a receiver checks them, by the secret that its merchant was told; and the same bytes at each attempt. */
export function deliveriesAreGenuine({ client, receivers }: Aftermath): string[] {
  const endpoints = client.answers.filter(({ json, isFinal }) => json.object === "webhook_endpoint" && isFinal);
  const secrets = new Map<string, string>(endpoints.map(({ json }) => [json.url, json.secret]));
  const bodies = new Map<string, string>();
  return receivers.received.flatMap(({ url, headers, body, atMs }) => {
    const secret = secrets.get(url);
    // Its merchant gave up before it heard of its endpoint.
    if (secret === undefined) return [];
    const id = headers["webhook-id"] ?? "";
    const seconds = headers["webhook-timestamp"] ?? "";
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signature = `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
    const first = bodies.get(`${id} ${url}`) ?? body;
    bodies.set(`${id} ${url}`, first);
    return [
      ...(headers["webhook-signature"] === signature ? [] : [`${id} to ${url} has a wrong signature`]),
      ...(Math.abs(Number(seconds) * 1000 - atMs) < signatureAgeMsMax ? [] : [`${id} to ${url} has an old signature`]),
      ...(JSON.parse(body).id === id ? [] : [`${id} to ${url} is another event`]),
      ...(first === body ? [] : [`${id} to ${url} changed between two attempts`]),
    ];
  });
}
