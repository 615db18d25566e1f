// Edits that spare the first payment what the clients do with descriptions of messages that nobody asks for.
// It must never change a byte on the wire: encoding and decoding are protobufjs's own code, made when it is first called.
import { type Patch, replaceOnce } from "./patch.ts";
import { refuse } from "./slim.ts";

export const protoPatches: readonly Patch[] = [
  {
    of: "@grpc/proto-loader",
    file: "build/src/index.js",
    // Of every message it makes a descriptor, and encodes them all, for servers that describe themselves (reflection): an
    // eighth of the CPU time until a first payment. Clients read neither.
    edit: (source) => {
      const gone = refuse("descriptors of messages", "proto.ts");
      const edits: readonly (readonly [string, string])[] = [
        [
          'const descriptor = require("protobufjs/ext/descriptor");',
          `const descriptor = { get FileDescriptorSet() { ${gone} } };`,
        ],
        ["const descriptorList = root.toDescriptor('proto3').file;", ""],
        ["descriptorList.map(value => Buffer.from(descriptor.FileDescriptorProto.encode(value).finish()))", "[]"],
        ["const messageDescriptor = message.toDescriptor('proto3');", ""],
        ["type: messageDescriptor.$type.toObject(messageDescriptor, descriptorOptions),", `get type() { ${gone} },`],
        ["const enumDescriptor = enumType.toDescriptor('proto3');", ""],
        ["type: enumDescriptor.$type.toObject(enumDescriptor, descriptorOptions),", `get type() { ${gone} },`],
      ];
      return edits.reduce((text, [pattern, replacement]) => replaceOnce(text, pattern, replacement), source);
    },
  },
  {
    of: "google-gax",
    file: "build/src/grpc.js",
    // What was loaded is remembered under the hash of the whole description as text; here each is one object of the bundle.
    edit: (source) =>
      replaceOnce(
        source,
        "const hash = (0, object_hash_1.default)(JSON.stringify(json)).toString();",
        "const hash = json;",
      ),
  },
  {
    of: "protobufjs",
    file: "src/type.js",
    // A type's five functions are generated and compiled together at its first use; a client calls two of them.
    edit: (source) => {
      for (const [name, make] of Object.entries(makers)) {
        if (!source.includes(`this.${name} = ${make}(this)({`))
          throw new Error(`protobufjs makes ${name} in another way`);
      }
      const head = "Type.prototype.setup = function setup() {";
      return `${replaceOnce(source, head, `${head} if (!wrappers[this.fullName]) return setUpLate(this);`)}\n${setUpLate}`;
    },
  },
];

const makers = {
  encode: "encoder",
  decode: "decoder",
  verify: "verifier",
  fromObject: "converter.fromObject",
  toObject: "converter.toObject",
} as const;

/** Types with wrappers (google.protobuf.Any) keep the original, which binds the wrapper to what it wraps. */
const setUpLate = `function setUpLate(type) {
  const types = type.fieldsArray.map((field) => field.resolve().resolvedType);
  const late = (name, make) => {
    let made;
    type[name] = function (...inputs) {
      if (made === undefined) made = type[name] = make(type)({ Reader, Writer, types, util });
      return made.apply(type, inputs);
    };
  };
${Object.entries(makers)
  .map(([name, make]) => `  late(${JSON.stringify(name)}, ${make});`)
  .join("\n")}
  return type;
}
`;
