import assert from "node:assert/strict";
import { commitsOf } from "@/lib/errors/code/frame_links.ts";
import { shop } from "../../../support/shop.ts";

Deno.test("a release's commit in a repository is what a tool said, else the newest that it listed", async () => {
  await using app = await shop();
  const { sql } = app.services;
  const { projectId: id } = app;
  const organizationId = app.organization.id;
  await sql`
    insert into repositories (organization_id, id, name) values
      (${organizationId}, 1, 'acme/shop'), (${organizationId}, 2, 'acme/web')
  `;
  for (
    const [place, repository, commit] of [[0, 1, "aa"], [1, 1, "bb"], [2, 2, "cc"], [3, 2, "dd"]]
  ) {
    await sql`
      insert into commits (project_id, repository_id, commit_id, organization_id, committed_at)
      values (${id}, ${repository ?? 0}, ${String(commit)}, ${organizationId}, now())
    `;
    await sql`
      insert into release_commits (project_id, version, place, repository_id, commit_id)
      values (${id}, 'shop@1', ${place ?? 0}, ${repository ?? 0}, ${String(commit)})
    `;
  }
  const refs = [{ repository: "Acme/API", commit: "ee" }];
  await sql`
    insert into releases (project_id, version, made_by, refs)
    values (${id}, 'shop@1', 'tool', ${sql.json(refs)})
  `;
  const commitOf = await commitsOf(sql, id, "shop@1");
  assert.deepEqual(["acme/shop", "acme/WEB", "acme/api", "acme/none"].map(commitOf), [
    "aa",
    "cc",
    "ee",
    null,
  ]);
  const other = await commitsOf(sql, "999", "shop@1");
  assert.equal(other("acme/shop"), null);
});
