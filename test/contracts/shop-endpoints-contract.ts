// What every store of the shop's webhook endpoint must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import type { ShopEndpoints } from "../../functions/flows/shop-ports.ts";

/** An empty store for one suite. */
export type EndpointsUnderTest = { readonly endpoints: ShopEndpoints; close(): Promise<void> };

/** Registers the suite; its tests build on each other, because there is one endpoint. */
export function shopEndpointsContract(open: () => Promise<EndpointsUnderTest>): void {
  let subject: EndpointsUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  const one = (number: number) => ({ url: `https://shop${number}.example/webhooks`, secret: `whsec_${number}` });

  test("there is none before one is kept", async () => {
    expect(await subject.endpoints.read()).toBeUndefined();
  });

  test("of ten that are kept at once one stays, and all are given that one", async () => {
    const kept = await Promise.all(Array.from({ length: 10 }, (_, number) => subject.endpoints.keep(one(number))));

    const standing = await subject.endpoints.read();
    expect(standing?.secret).toMatch(/^whsec_\d$/);
    for (const answer of kept) expect(answer).toEqual(standing);
  });

  test("one that stands is not replaced", async () => {
    const standing = await subject.endpoints.read();

    expect(await subject.endpoints.keep(one(11))).toEqual(standing);
    expect(await subject.endpoints.read()).toEqual(standing);
  });
}
