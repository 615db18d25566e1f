// `node scripts/node.cjs scripts/release-ddl.ts`: writes down which statements databases may now have been made from.
// It must never run to silence a test: once a database with data exists, a changed statement is put back instead.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDdl, releaseLine } from "../infra/ddl.ts";

const head = `# Every statement that a database may have been made from: SHA-256 and beginning, in order.
# A line here is never changed, moved or removed once a database with data exists: Terraform would destroy that database.
# New statements go into a new file of this folder, 0001-what-it-does.sql, and come here with the next release:
#   node scripts/node.cjs scripts/release-ddl.ts
`;

const file = join(import.meta.dirname, "..", "infra", "migrations", "released.txt");
writeFileSync(file, `${head}${readDdl().map(releaseLine).join("\n")}\n`);
