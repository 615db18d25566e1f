// The real Spanner client on Google's emulator with the fault proxy in between, or on a place where no server answers.
// It must never leave the environment changed: other tests of the process read the same variable.
import { type OpenSpanner, openSpanner, type SpannerNames } from "../../functions/adapters/spanner-client.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "./emulator-database.ts";
import { type GrpcProxy, startGrpcProxy } from "./grpc-proxy.ts";

/** A fresh database behind a proxy; `direct` goes past the proxy, to see what was really written. */
export type DisturbedSpanner = {
  spanner: OpenSpanner;
  proxy: GrpcProxy;
  direct: EmulatorDatabase;
  close(): Promise<void>;
};

/** Opens a fresh database on the emulator through a new proxy. */
export async function openDisturbedSpanner(): Promise<DisturbedSpanner> {
  const direct = await openEmulatorDatabase();
  const proxy = await startGrpcProxy({ target: process.env["SPANNER_EMULATOR_HOST"] ?? "" });
  const spanner = openSpannerAt(proxy.host, direct.names);
  const close = async () => {
    await spanner.close();
    await proxy.close();
    await direct.close();
  };
  return { spanner, proxy, direct, close };
}

/** Opens a client for `host` (`127.0.0.1:PORT`), whatever answers there. */
export function openSpannerAt(host: string, names: SpannerNames): OpenSpanner {
  const before = process.env["SPANNER_EMULATOR_HOST"];
  process.env["SPANNER_EMULATOR_HOST"] = host;
  try {
    return openSpanner(names, () => {});
  } finally {
    process.env["SPANNER_EMULATOR_HOST"] = before;
  }
}
