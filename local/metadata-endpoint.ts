// The one thing of a metadata server that function processes ask for: an identity token of their own account.
// It must never listen beyond loopback, nor give a token of an account other than the one that its port belongs to.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Opens a port on loopback; whoever has `url` as its metadata server gets what `tokenFor` an audience gives. */
export async function openMetadataEndpoint(
  tokenFor: (audience: string) => string,
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://metadata");
    const audience = searchParams.get("audience");
    const isAsked = request.headers["metadata-flavor"] === "Google" && pathname === identityPath && audience !== null;
    response.writeHead(isAsked ? 200 : 404, { "Content-Type": "text/plain" });
    response.end(isAsked ? tokenFor(audience) : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Of the default account, which is the function's own. */
const identityPath = "/computeMetadata/v1/instance/service-accounts/default/identity";
