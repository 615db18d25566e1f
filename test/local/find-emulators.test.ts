// Shows where Google's emulators are looked for, and what people are told when they are absent.
// It must never depend on what this machine has: every environment is spelled out.

import { describeMissing, findEmulators, foundEmulators } from "../../local/find-emulators.ts";
import { type FakeSdk, makeFakeSdk } from "../support/fake-sdk.ts";

describe("the search for Google's emulators", () => {
  let sdk: FakeSdk;
  beforeAll(() => {
    sdk = makeFakeSdk();
  });
  afterAll(() => sdk.remove());

  test("finds both under CLOUDSDK_ROOT", async () => {
    const search = await findEmulators({ CLOUDSDK_ROOT: sdk.root, PATH: sdk.javaFolder });

    expect(search.commands).toEqual({ spanner: sdk.spannerCommand, firestore: sdk.firestoreCommand });
    expect(foundEmulators(search)).toEqual(["spanner", "firestore"]);
    expect(describeMissing(search)).toBe("");
  });

  test("finds both from the real path of gcloud on PATH", async () => {
    const search = await findEmulators({ PATH: `${sdk.gcloudFolder}:${sdk.javaFolder}` });

    expect(foundEmulators(search)).toEqual(["spanner", "firestore"]);
  });

  test("asks gcloud itself when the gcloud on PATH is a wrapper that lies elsewhere", async () => {
    const search = await findEmulators({ PATH: `${sdk.wrapperFolder}:${sdk.javaFolder}` });

    expect(foundEmulators(search)).toEqual(["spanner", "firestore"]);
  });

  test("leaves Firestore out without Java, and says that it is Java that is missing", async () => {
    const search = await findEmulators({ CLOUDSDK_ROOT: sdk.root, PATH: sdk.emptyFolder });

    expect(foundEmulators(search)).toEqual(["spanner"]);
    expect(describeMissing(search)).toMatch(/^missing: firestore \(.*`java` is not on PATH\)/);
  });

  test("finds none, and names the command that installs them, where neither gcloud nor java is", async () => {
    const search = await findEmulators({ PATH: sdk.emptyFolder });

    expect(foundEmulators(search)).toEqual([]);
    expect(describeMissing(search)).toContain(
      "gcloud components install cloud-spanner-emulator cloud-firestore-emulator",
    );
  });

  test("survives a CLOUDSDK_ROOT that does not exist, a gcloud that fails and a missing PATH", async () => {
    expect(foundEmulators(await findEmulators({ CLOUDSDK_ROOT: `${sdk.root}/nowhere` }))).toEqual([]);
    expect(foundEmulators(await findEmulators({ PATH: `${sdk.root}/bin/cloud_spanner_emulator` }))).toEqual([]);
    expect(foundEmulators(await findEmulators({}))).toEqual([]);
  });

  test("finds Pub/Sub's where it is, and misses it nowhere", async () => {
    const withPubsub = makeFakeSdk({ hasPubsub: true });
    const search = await findEmulators({ CLOUDSDK_ROOT: withPubsub.root, PATH: withPubsub.javaFolder });
    withPubsub.remove();

    expect(foundEmulators(search)).toEqual(["spanner", "firestore", "pubsub"]);
    expect(describeMissing(search)).toBe("");
  });

  test("pretends that none is installed with EMULATORS=none", async () => {
    const search = await findEmulators({ CLOUDSDK_ROOT: sdk.root, PATH: sdk.javaFolder, EMULATORS: "none" });

    expect(foundEmulators(search)).toEqual([]);
    expect(describeMissing(search)).toContain("EMULATORS=none");
  });
});
