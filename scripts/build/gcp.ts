// Edits to Google's clients that make them work as one file: they look for files beside themselves on disk.
// It must never change what a client sends or answers; it only replaces how a file is found.
import { type Patch, replaceOnce } from "./patch.ts";

/** What breaks in a single file with @google-cloud/spanner 9.0.0; @google-cloud/firestore 9.4.1 needs nothing. */
export const gcpPatches: readonly Patch[] = [
  {
    of: "@google-cloud/spanner",
    file: "build/src/common-grpc/service.js",
    // `new Spanner()` parses operations.proto from the folder of google-gax, for `GrpcService.getService_`, which the
    // client no longer reaches (it overrides `request`). Without a service that method throws, should it ever be reached.
    edit: (source) => {
      const folder = "path.join(path.dirname(require.resolve('google-gax')), '..', 'protos')";
      const load = "(0, proto_loader_1.loadSync)(protoPath, {";
      return replaceOnce(replaceOnce(source, folder, '""'), load, "((_path, _options) => ({}))(protoPath, {");
    },
  },
  {
    of: "@google-cloud/spanner",
    file: "build/src/protos.js",
    // Only `getProtoPath` uses the folder, and nothing calls it; the module must load all the same.
    edit: (source) =>
      replaceOnce(source, "path.dirname(require.resolve('@google-cloud/spanner-api/package.json'))", "__dirname"),
  },
];
