// Shows that the schema only grows at its end: what was released stays as it was, to the byte.
// It must never be made green by writing the list anew once a database with data exists.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readDdl, readReleased, releaseBreach, releaseLine } from "../../infra/ddl.ts";

const ddl = readDdl();
const released = readReleased();

describe("the released statements", () => {
  test("stand at the beginning of what is deployed, unchanged", () => {
    expect(released.length).toBeGreaterThan(0);
    expect(releaseBreach(ddl, released)).toBeUndefined();
  });

  test.each([
    ["one byte of a statement", ddl.with(2, `${ddl[2]} `)],
    ["the order of two statements", [ddl[1] ?? "", ddl[0] ?? "", ...ddl.slice(2)]],
    ["a statement that is gone", ddl.slice(0, -1)],
    ["a statement in between", ddl.toSpliced(3, 0, "CREATE TABLE between (id INT64) PRIMARY KEY (id)")],
  ])("refuse %s", (_title, changed) => {
    expect(releaseBreach(changed, ddl.map(releaseLine))).toMatch(
      /^Statement \d+ was released as .* add a migration\.$/,
    );
  });

  test("let statements follow", () => {
    expect(releaseBreach([...ddl, "ALTER TABLE accounts ADD COLUMN country STRING(2)"], released)).toBeUndefined();
  });
});

describe("migrations", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "ddl-"));
    mkdirSync(path.join(folder, "migrations"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("come after the schema, in the order of their names", () => {
    writeFileSync(path.join(folder, "schema.sql"), "CREATE TABLE a (id INT64) PRIMARY KEY (id); -- first");
    writeFileSync(path.join(folder, "migrations", "0002-b.sql"), "ALTER TABLE a ADD COLUMN y INT64;");
    writeFileSync(path.join(folder, "migrations", "0001-a.sql"), "ALTER TABLE a\n  ADD COLUMN x INT64;");
    writeFileSync(path.join(folder, "migrations", "released.txt"), "# nothing\n");

    expect(readDdl(folder)).toEqual([
      "CREATE TABLE a (id INT64) PRIMARY KEY (id)",
      "ALTER TABLE a ADD COLUMN x INT64",
      "ALTER TABLE a ADD COLUMN y INT64",
    ]);
    expect(readReleased(folder)).toEqual([]);
  });
});
