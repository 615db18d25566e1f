/**
 * Puts a span around what leaves this process for another one, and hands the place in the trace on with it.
 * It must never change a message, a task or a request but for its `traceparent`.
 */
import type { BusMessage, Publisher } from "../flows/bus-ports.ts";
import type { Egress } from "../flows/egress-ports.ts";
import type { TaskQueues } from "../flows/task-ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";

/** Messages go on with the trace of whoever publishes them, unless they know theirs. */
export function watchedPublisher<Port extends Publisher>(tracer: Tracer, publisher: Port): Port {
  const publish = (messages: readonly BusMessage[]) =>
    tracer.span({ name: "bus.publish", kind: "producer", fields: { messages: messages.length } }, async () => {
      const traceparent = tracer.traceparent();
      const placed = (message: BusMessage): BusMessage =>
        traceparent === undefined ? message : { ...message, attributes: { traceparent, ...message.attributes } };
      await publisher.publish(messages.map(placed));
    });
  return { ...publisher, publish };
}

/** Tasks go on with the trace of whoever enqueues them, unless they know theirs. */
export function watchedTasks(tracer: Tracer, { enqueue }: TaskQueues): TaskQueues {
  return {
    enqueue: (task) =>
      tracer.span({ name: "tasks.enqueue", kind: "producer", fields: { queue: task.queue } }, async () => {
        const traceparent = task.traceparent ?? tracer.traceparent();
        return await enqueue(traceparent === undefined ? task : { ...task, traceparent });
      }),
  };
}

/** A merchant can go on with the trace of the attempt that calls it. Of the URL only the host is told. */
export function watchedEgress(tracer: Tracer, { post }: Egress): Egress {
  return {
    post: (request) =>
      tracer.span({ name: "webhook.post", kind: "client", fields: hostOf(request.url) }, async (span) => {
        const traceparent = tracer.traceparent();
        const headers = traceparent === undefined ? request.headers : { ...request.headers, traceparent };
        const exchange = await post({ ...request, headers });
        if (exchange.kind === "answered") span.set({ "http.response.status_code": exchange.status });
        return exchange;
      }),
  };
}

function hostOf(url: string) {
  return { "server.address": URL.canParse(url) ? new URL(url).host : "" };
}
