import assert from "node:assert/strict";
import { changeIssues } from "@/lib/errors/workflow/change.ts";
import { listActivity } from "@/lib/errors/workflow/activity.ts";
import { resolveFixed } from "@/lib/errors/workflow/resolve_fixed.ts";
import { SYSTEM } from "@/lib/errors/workflow/state.ts";
import { testDatabase } from "../../../support/database.ts";
import { errorEvent } from "../../../support/error_event.ts";
import { testWriter } from "../../../support/writer.ts";

const SHOP = { id: "1", slug: "shop" };

Deno.test("a release resolves what its commits fix, and what waits for one of them", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (const group of ["one", "two", "three"]) await writer.store("1", errorEvent({ group }));
  await writer.store("2", errorEvent({ group: "of another project" }));
  const ids = (await sql<{ id: string }[]>`select id from issues where project_id = 1 order by id`)
    .map(({ id }) => id);
  const inCommit = { kind: "commit", commit: "abc", repository: "acme/shop" } as const;
  const waits = { status: { to: "resolved", in: inCommit } } as const;
  await changeIssues({ sql }, "1", [ids[1] ?? ""], waits, SYSTEM);
  const fix = (shortId: string) => ({ shortId, commitId: "def" });

  const done = await resolveFixed(
    { sql },
    SHOP,
    "shop@2.0",
    [fix("SHOP-1"), fix("SHOP-99"), fix("UTF-8"), fix("WEB-1")],
    ["abc", "def"],
  );

  assert.deepEqual(done, ["SHOP-1"]);
  const rows = await sql`
    select status, resolution->>'version' as version from issues order by project_id, id
  `;
  assert.deepEqual([...rows], [
    { status: "resolved", version: "shop@2.0" },
    { status: "resolved", version: "shop@2.0" },
    { status: "unresolved", version: null },
    { status: "unresolved", version: null },
  ]);
  const [entry] = await listActivity(sql, "1", ids[0] ?? "");
  assert.deepEqual([entry?.type, entry?.actor, entry?.data], [
    "set_resolved_in_release",
    { kind: "release", id: "shop@2.0" },
    { version: "shop@2.0", commit: "def" },
  ]);
});
