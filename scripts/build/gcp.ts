// Edits to Google's clients that make them work as one file: they look for files beside themselves on disk.
// It must never change what a client sends or answers; it only replaces how a file is found.
import { type Patch, replaceOnce } from "./patch.ts";

/**
 * What breaks in a single file with @google-cloud/spanner 9.0.0 and @google-cloud/tasks 7.1.0; @google-cloud/firestore 9.4.1
 * needs nothing.
 */
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
  {
    of: "@google-cloud/tasks",
    file: "build/esm/src/v2/cloud_tasks_client.js",
    // It asks `import.meta.url` for its folder and reads three JSON files from there at load; they are imported instead.
    edit: (source) => {
      const edits: readonly (readonly [string, string])[] = [
        ["import { getJSON } from '../json-helper.cjs';", importedJson],
        ["const dirname = path.dirname(fileURLToPath(import.meta.url));", ""],
        ["getJSON(path.join(dirname, 'cloud_tasks_client_config.json'))", "configOfClient"],
        ["getJSON(path.join(dirname, '..', '..', '..', 'protos/protos.json'))", "protosOfClient"],
        ["getJSON(path.join(dirname, '..', '..', '..', '..', 'package.json')).version", "versionOfClient"],
      ];
      return edits.reduce((text, [pattern, replacement]) => replaceOnce(text, pattern, replacement), source);
    },
  },
];

/** Relative, so that the package's `exports` do not hide them. */
const importedJson = [
  'import configOfClient from "./cloud_tasks_client_config.json";',
  'import protosOfClient from "../../../protos/protos.json";',
  'import { version as versionOfClient } from "../../../../package.json";',
].join("\n");
