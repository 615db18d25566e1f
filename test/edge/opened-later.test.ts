// Shows when a service behind its door is opened, and what is asked of it meanwhile.
// It must never wait for a real second: the clock is in the test's hands.
import { type OpenedService, openedLater } from "../../functions/edge/opened-later.ts";
import { jsonResponse, type WireRequest } from "../../functions/edge/wire.ts";

const request = (target: string): WireRequest => ({
  ...{ method: "POST", target, headers: new Map(), body: Buffer.alloc(0) },
});

/** A door whose service answers 201; `fail` lets the next openings fail. */
function place({ fail = 0 } = {}) {
  const events: string[] = [];
  let failures = fail;
  let idle: (() => void) | undefined;
  const open = async (): Promise<OpenedService> => {
    events.push("opened");
    failures -= 1;
    if (failures >= 0) throw new TypeError("the disk is gone");
    return { handler: async () => jsonResponse(201, {}), close: async () => void events.push("closed") };
  };
  const after = (milliseconds: number, callback: () => void) => {
    expect(milliseconds).toBe(1_000);
    idle = callback;
    return () => {
      idle = undefined;
    };
  };
  const log = (severity: string, message: string, fields: object = {}) =>
    void events.push(`${severity} ${message} ${JSON.stringify(fields)}`);
  const service = openedLater(open, { clock: { after }, log });
  const statusOf = async (target: string) => (await service.handler(request(target))).status;
  return { service, events, statusOf, passASecond: () => idle?.() };
}

describe("a service that is opened behind its door", () => {
  test("answers health checks without being opened", async () => {
    const { statusOf, events } = place();

    expect(await statusOf("/health?from=probe")).toBe(200);
    expect(events).toEqual([]);
  });

  test("is opened once by the first requests, which wait for it", async () => {
    const { statusOf, events, passASecond } = place();

    expect(await Promise.all([statusOf("/v1/charges"), statusOf("/v1/charges")])).toEqual([201, 201]);
    passASecond();

    expect(events).toEqual(["opened"]);
  });

  test("is opened without a request after a second, once", async () => {
    const { statusOf, events, passASecond } = place();

    passASecond();
    expect(await statusOf("/v1/charges")).toBe(201);

    expect(events).toEqual(["opened"]);
  });

  test("is tried again by the next request when it could not be opened", async () => {
    const { statusOf, events, passASecond } = place({ fail: 2 });

    passASecond();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(statusOf("/v1/charges")).rejects.toThrow("the disk is gone");
    expect(await statusOf("/v1/charges")).toBe(201);

    expect(events).toEqual(["opened", 'ERROR service not opened {"error":"TypeError"}', "opened", "opened"]);
  });

  test("closes what it opened, and opens nothing in order to close it", async () => {
    const unopened = place();
    await unopened.service.close();
    unopened.passASecond();
    const opened = place();
    await opened.statusOf("/v1/charges");
    await opened.service.close();

    expect([unopened.events, opened.events]).toEqual([[], ["opened", "closed"]]);
  });
});
