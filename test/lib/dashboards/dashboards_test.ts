import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import { EMPTY_CONTENT, LIMITS } from "@/lib/dashboards/content.ts";
import {
  createDashboard,
  DashboardChanged,
  deleteDashboard,
  findDashboard,
  listDashboards,
  saveDashboard,
} from "@/lib/dashboards/dashboards.ts";
import { purgeProject } from "@/lib/store/deleted_projects.ts";
import { testDatabase } from "../../support/database.ts";
import { EVERYTHING } from "./panels.ts";

const ALL = { name: "All", content: EVERYTHING };
const NONE = { name: "none", content: EMPTY_CONTENT };

Deno.test("a dashboard is kept as it was made, in its project alone", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const made = await createDashboard(sql, "1", ALL, "user-1");
  assert.deepEqual(await findDashboard(sql, "1", made.dashboardId), made);
  assert.deepEqual(made.content, EVERYTHING);
  assert.equal(made.version, 1);
  assert.equal(await findDashboard(sql, "2", made.dashboardId), null);
  for (const id of ["", "x", "../1", "0123456789abcdef\0", "0123456789ABCDEF"]) {
    assert.equal(await findDashboard(sql, "1", id), null);
  }
});

Deno.test("the list is by name, with how many panels there are and who changed it last", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await createDashboard(sql, "1", NONE, null);
  await createDashboard(sql, "1", ALL, "user-1");
  await createDashboard(sql, "2", ALL, "user-1");
  const listed = await listDashboards(sql, "1");
  assert.deepEqual(
    listed.map(({ name, panels, updatedBy }) => [name, panels, updatedBy]),
    [["All", 4, "user-1"], ["none", 0, null]],
  );
});

Deno.test("of two who change the same version, the second one is told what it is now", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const { dashboardId } = await createDashboard(sql, "1", NONE, null);
  const saved = await saveDashboard(sql, "1", dashboardId, 1, ALL, "user-1");
  assert.equal(saved?.version, 2);
  const late = saveDashboard(sql, "1", dashboardId, 1, { ...NONE, name: "Late" }, "user-2");
  await assert.rejects(late, (error) => {
    assert.ok(error instanceof DashboardChanged);
    assert.deepEqual(error.current, saved);
    return true;
  });
  assert.deepEqual(await findDashboard(sql, "1", dashboardId), saved);
  assert.equal(await saveDashboard(sql, "2", dashboardId, 2, ALL, null), null);
});

Deno.test("a deleted dashboard is gone, and those of a deleted project are", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const { dashboardId } = await createDashboard(sql, "1", ALL, null);
  assert.equal(await deleteDashboard(sql, "2", dashboardId), false);
  assert.equal(await deleteDashboard(sql, "1", dashboardId), true);
  assert.equal(await deleteDashboard(sql, "1", dashboardId), false);
  assert.equal(await saveDashboard(sql, "1", dashboardId, 1, ALL, null), null);
  await createDashboard(sql, "1", ALL, null);
  await purgeProject(sql, "1", new AbortController().signal);
  assert.equal((await listDashboards(sql, "1")).length, 0);
});

Deno.test("a project has only so many dashboards", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await sql`
    insert into dashboards (project_id, dashboard_id, name, panels, content)
    select 1, lpad(to_hex(n), 16, '0'), 'Many', 0, '{}'
    from generate_series(1, ${LIMITS.dashboards}::int) as n
  `;
  await assert.rejects(createDashboard(sql, "1", ALL, null), InvalidInput);
  assert.ok(await createDashboard(sql, "2", ALL, null));
});
