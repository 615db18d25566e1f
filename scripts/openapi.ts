// `npm run openapi`: writes docs/openapi.json, the description of what payments-api serves.
// It must never be edited by hand instead: a test compares the file with what this writes.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "./openapi/document.ts";

/** The file's text. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(), null, 1)}\n`;
}

/** Where it is. */
export const openApiFile = path.join(import.meta.dirname, "..", "docs", "openapi.json");

if (import.meta.main) {
  writeFileSync(openApiFile, await openApiText());
  console.log(`written: ${openApiFile}`);
}
