import assert from "node:assert/strict";
import { setCommits } from "@/lib/releases/commits.ts";
import { ensureRelease } from "@/lib/releases/releases.ts";
import { partsOf, suspectCommits } from "@/lib/releases/suspects.ts";
import { testDatabase } from "../../support/database.ts";

function commit(id: string, day: number, ...paths: string[]) {
  return {
    id,
    repository: "acme/shop",
    authorName: "Ann",
    authorEmail: "ann@acme.example",
    message: `Change ${id}`,
    committedAt: new Date(Date.UTC(2026, 10, day)),
    files: paths.map((path) => ({ path, change: "M" as const })),
  };
}

async function suspectsOf(commits: ReturnType<typeof commit>[], ...paths: string[]) {
  await using database = await testDatabase();
  const { sql } = database;
  await ensureRelease(sql, "1", "1.0");
  await setCommits(sql, "7", "1", "1.0", commits);
  const frames = paths.map((path) => ({ path }));
  const found = await suspectCommits(sql, "1", { release: "1.0", frames });
  return found.map(({ commitId, score }) => [commitId, score]);
}

Deno.test("the commit that changed the innermost frame's file comes first", async () => {
  const commits = [commit("b", 2, "src/pay.ts"), commit("a", 1, "src/cart.ts", "README.md")];
  assert.deepEqual(await suspectsOf(commits, "app:///src/cart.ts", "./src/pay.ts?x"), [
    ["a", 2],
    ["b", 2],
  ]);
});

Deno.test("of several commits of a file the newest is suspected", async () => {
  const commits = [commit("old", 1, "src/cart.ts"), commit("new", 5, "src/cart.ts")];
  assert.deepEqual(await suspectsOf(commits, "src/cart.ts"), [["new", 2]]);
});

Deno.test("a file of the same name in another folder is no suspect", async () => {
  assert.deepEqual(await suspectsOf([commit("a", 1, "lib/index.ts")], "src/index.ts"), []);
});

Deno.test("a file without folder is one by its name", async () => {
  assert.deepEqual(await suspectsOf([commit("a", 1, "main.py")], "/app/main.py"), [["a", 1]]);
});

Deno.test("commits of the four releases before count, those of later ones and of other programs do not", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  for (const number of ["0", "1", "2", "3", "4", "5", "6"]) {
    for (const name of ["web", "api"]) {
      const version = `${name}@${number}.0`;
      await ensureRelease(sql, "1", version);
      await setCommits(sql, "7", "1", version, [
        commit(`${name}${number}`, 1, `src/${name}${number}.ts`),
      ]);
    }
  }
  const frames = ["web0", "web1", "api5", "web5", "web6"].map((name) => ({
    path: `src/${name}.ts`,
  }));
  const found = await suspectCommits(sql, "1", { release: "web@5.0", frames });
  assert.deepEqual(found.map(({ commitId }) => commitId), ["web1", "web5"]);
  assert.deepEqual(await suspectCommits(sql, "2", { release: "web@5.0", frames }), []);
});

Deno.test("paths are compared without scheme, host and query", () => {
  for (
    const path of ["webpack:///./src/A.ts?8f2a", "C:\\src\\a.ts", "https://x.example/src/a.ts#1"]
  ) {
    assert.deepEqual(partsOf(path).slice(-2), ["src", "a.ts"]);
  }
});
