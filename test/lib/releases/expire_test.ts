import assert from "node:assert/strict";
import { setCommits } from "@/lib/releases/commits.ts";
import { createDeploy } from "@/lib/releases/deploys.ts";
import { ensureRelease } from "@/lib/releases/releases.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { testDatabase } from "../../support/database.ts";
import { errorEvent } from "../../support/error_event.ts";
import { testWriter } from "../../support/writer.ts";

const COMMIT = {
  id: "a",
  repository: "shop",
  authorName: "Ann",
  authorEmail: "",
  message: "fixes SHOP-1",
  committedAt: new Date(),
  files: [{ path: "a.ts", change: "M" as const }],
};

Deno.test("old releases go with their commits, those that something refers to and the newest stay", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (const version of ["unused", "deployed", "shared", "last with commits", "newest"]) {
    await ensureRelease(sql, "1", version);
  }
  const finishedAt = new Date();
  const deploy = { environment: "production", name: "", url: "", startedAt: null, finishedAt };
  await createDeploy(sql, "1", { version: "deployed", ...deploy });
  await setCommits(sql, "7", "1", "unused", [{ ...COMMIT, id: "alone" }, COMMIT]);
  await setCommits(sql, "7", "1", "last with commits", [COMMIT]);
  await sql`update releases set created_at = now() - interval '100 days'`;
  await sql`
    update releases set created_at = now() - interval '99 days' where version in ('newest', 'last with commits')
  `;
  await writer.store("1", errorEvent({ release: "of an issue" }));
  const stopping = new AbortController().signal;
  const deleted = await deleteExpired(sql, 30, stopping);
  assert.equal(deleted.releases, 3);
  const rows = await sql`select version from releases order by version`;
  assert.deepEqual(rows.map(({ version }) => version), [
    "deployed",
    "last with commits",
    "of an issue",
  ]);
  const commits = await sql`select commit_id from commits order by 1`;
  assert.deepEqual(commits.map(({ commit_id }) => commit_id), ["a"]);
  const files = await sql`select commit_id from commit_files`;
  assert.deepEqual(files.map(({ commit_id }) => commit_id), ["a"]);
});
