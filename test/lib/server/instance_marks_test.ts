import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { adoptRecoveredKey, listKeys, reissueKey } from "@/lib/accounts/keys.ts";
import { findIngest } from "@/lib/accounts/ingest_lookup.ts";
import { claimInstance, setupCode } from "@/lib/accounts/setup.ts";
import { listAllOrganizations } from "@/lib/accounts/organizations.ts";
import { createProject, findProject, listProjects } from "@/lib/accounts/projects.ts";
import { copyControl, startControlMirror } from "@/lib/server/control_mirror.ts";
import {
  checkMarks,
  checkMarksWithoutPostgres,
  judge,
  type Marks,
  readMarks,
  writeMark,
  writeMarks,
} from "@/lib/server/instance_marks.ts";
import { deleteProject } from "@/lib/projects/deletion.ts";
import { addMissing, goOnWithCopy, recover } from "@/lib/server/recover.ts";
import { projectsWithTelemetry } from "@/lib/store/control_copy.ts";
import { writeTombstone } from "@/lib/store/deleted_projects.ts";
import { errorEvent } from "../../support/error_event.ts";
import { makeWorld } from "../../support/ingest_world.ts";
import { PASSWORD } from "../../support/people.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testDatabase, testKv, testObjects } from "../../support/stores.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { testWriter } from "../../support/writer.ts";

const config = readConfig({ DATABASE_URL: "postgres://db/x", SERVICE_DATA_DIR: "/srv/data" });

/** Of no use to what is tested: Postgres is away. */
const noDatabase = null as unknown as Parameters<typeof writeMark>[0]["sql"];

Deno.test("stores that do not belong together are told from fresh, upgraded and unfinished ones", () => {
  const f = (kv: string, postgres: string, objects: string | null): string => {
    const [kvId = "", kvState = ""] = kv.split(" ");
    const [postgresId = "", postgresState = ""] = postgres.split(" ");
    const marks: Marks = {
      kv: {
        id: kvId === "-" ? null : kvId,
        isPending: kvState === "pending",
        isEmpty: kvState === "empty",
      },
      postgres: {
        id: postgresId === "-" ? null : postgresId,
        hasTables: postgresState !== "empty",
        hasTelemetry: postgresState === "full",
      },
      objects: { id: objects },
    };
    const verdict = judge(marks);
    return "store" in verdict ? `${verdict.kind} ${verdict.store}` : verdict.kind;
  };
  assert.equal(f("- empty", "- empty", null), "found", "a fresh installation");
  assert.equal(f("- empty", "- tables", null), "found", "started once, by an earlier version");
  assert.equal(f("- used", "- full", null), "found", "of an earlier version");
  assert.equal(f("- empty", "- full", null), "lost kv", "of an earlier version");
  assert.equal(f("- used", "- empty", null), "lost postgres", "of an earlier version");
  assert.equal(f("a used", "a full", "a"), "same");
  assert.equal(f("a pending", "- tables", null), "finish");
  assert.equal(f("a pending", "a tables", null), "finish");
  assert.equal(f("- empty", "a full", "a"), "lost kv");
  assert.equal(f("- empty", "- empty", "a"), "lost kv");
  assert.equal(f("a used", "- empty", "a"), "lost postgres");
  assert.equal(f("a used", "- full", "a"), "lost postgres", "a database of an earlier version");
  assert.equal(f("a used", "a full", null), "lost objects");
  assert.equal(f("a used", "b full", "a"), "mixed");
  assert.equal(f("a pending", "b full", null), "mixed");
});

Deno.test("processes that start together agree on one instance", async () => {
  await using control = await testKv();
  await using database = await testDatabase();
  await using stored = await testObjects();
  const others = await Promise.all(
    Array.from({ length: 3 }, () => Deno.openKv(control.path)),
  );
  await Promise.all(others.map(async (kv) => {
    const stores = { kv, sql: database.sql, objects: stored.objects };
    await checkMarks(config, stores);
    await writeMarks(config, stores);
  }));
  const marks = await readMarks({ ...control, ...database, ...stored });
  assert.equal(judge(marks).kind, "same");
  for (const kv of others) kv.close();
});

Deno.test("of processes that start together with KV stores of their own on one database, one goes on", async () => {
  await using first = await testKv();
  await using second = await testKv();
  await using database = await testDatabase();
  await using stored = await testObjects();
  const both = [first, second].map(({ kv }) => ({ kv, ...database, ...stored }));
  await Promise.all(both.map((stores) => checkMarks(config, stores)));
  const starts = await Promise.allSettled(both.map((stores) => writeMarks(config, stores)));
  const refused = starts.flatMap((start) => start.status === "rejected" ? [start.reason] : []);
  assert.equal(refused.length, 1);
  assert.match(String(refused[0]), /ConfigError: Cannot start: .*different installations/);
  const verdicts = await Promise.all(
    both.map(async (stores) => judge(await readMarks(stores)).kind),
  );
  assert.deepEqual(verdicts.sort(), ["mixed", "same"]);
});

Deno.test("whichever store is lost, the start is refused, nothing is lost elsewhere, and it can be recovered", async () => {
  await using database = await testDatabase();
  await using stored = await testObjects();
  await using control = await testKv();
  const { sql } = database;
  const { objects } = stored;
  const whole = { kv: control.kv, sql, objects };
  await writeMarks(config, whole);
  const { project, organization, serverKey, browserKey } = await makeWorld(whole.kv);
  const other = await createProject(whole.kv, {
    organizationId: organization.id,
    name: "Other",
    platform: "go",
  });
  await deleteProject(whole, other, "ann");
  await using writer = testWriter(sql);
  await writer.store(project.id, errorEvent());
  await writer.close();
  await objects.put("attachments/1/2026-11-20/x", new Uint8Array([7]));
  await copyControl(whole);
  await checkMarks(config, whole);
  const { kv: { id } } = await readMarks(whole);

  await using emptyObjects = await testObjects();
  const withoutObjects = { ...whole, objects: emptyObjects.objects };
  await assert.rejects(checkMarks(config, withoutObjects), {
    name: "ConfigError",
    message:
      "Cannot start: /srv/data/blobs (SERVICE_DATA_DIR) is empty or not this installation's, but " +
      `/srv/data/kv.sqlite3 (SERVICE_DATA_DIR) and DATABASE_URL belong to instance ${id}; mend the setting ` +
      "or the mount, or put its backup back or go on without what was in it: deno task recover objects",
  });
  await recover(withoutObjects, "objects", silentLogger);
  await checkMarks(config, withoutObjects);

  await using emptyDatabase = await testDatabase({ isEmpty: true });
  await assert.rejects(checkMarks(config, { ...whole, sql: emptyDatabase.sql }), {
    message: /^Cannot start: DATABASE_URL is empty .* deno task recover postgres$/,
  });

  await using strangers = await testDatabase();
  await writeMark({ ...whole, sql: strangers.sql }, "postgres", crypto.randomUUID());
  await assert.rejects(checkMarks(config, { ...whole, sql: strangers.sql }), {
    message:
      /^Cannot start: .*kv\.sqlite3.* belongs to instance .*, DATABASE_URL belongs to .*mend the setting/,
  });

  await using emptyControl = await testKv();
  const { kv } = emptyControl;
  const withoutKv = { ...whole, kv };
  await assert.rejects(checkMarks(config, withoutKv), {
    message: /^Cannot start: .*kv\.sqlite3 \(SERVICE_DATA_DIR\) is empty .* deno task recover kv$/,
  });
  assert.match(await recover(withoutKv, "objects", silentLogger), /^Nothing is done/);
  assert.match(
    await recover(withoutKv, "kv", silentLogger),
    /^Made again from Postgres: 1 projects, 0 of them by/,
  );
  await checkMarks(config, withoutKv);
  assert.equal((await findProject(kv, project.id))?.name, project.name);
  assert.equal(await findProject(kv, other.id), null, "deleted projects stay deleted");
  for (const publicKey of [serverKey, browserKey]) {
    assert.equal(await findIngest(kv, publicKey), null);
    assert.equal(await adoptRecoveredKey(kv, publicKey), true);
    assert.equal((await findIngest(kv, publicKey))?.project.id, project.id);
  }
  const next = await createProject(kv, {
    organizationId: organization.id,
    name: "N",
    platform: "",
  });
  assert.equal(Number(next.id), Number(other.id) + 1, "no id is given out twice");
  const claim = { code: await setupCode(kv), organizationName: "acme", address: "::1" };
  const ann = { name: "Ann", email: "ann@example.com", password: PASSWORD };
  assert.equal((await claimInstance(kv, { ...claim, ...ann })).ok, true);
  assert.equal((await listAllOrganizations(kv)).length, 2);

  assert.deepEqual(await projectsWithTelemetry(sql), [project.id]);
  assert.deepEqual(await objects.get("attachments/1/2026-11-20/x"), new Uint8Array([7]));
  assert.equal((await listProjects(whole.kv, organization.id)).length, 1);
});

Deno.test("while Postgres is away, the objects of another installation are refused: its spool would count as deleted", async () => {
  await using control = await testKv();
  await using own = await testObjects();
  await using empty = await testObjects();
  await using foreign = await testObjects();
  await writeMark({ ...control, ...own, sql: noDatabase }, "kv", "a");
  await writeMark({ ...control, ...own, sql: noDatabase }, "objects", "a");
  await writeMark({ ...control, ...foreign, sql: noDatabase }, "objects", "b");
  await checkMarksWithoutPostgres(config, { ...control, ...own });
  await assert.rejects(checkMarksWithoutPostgres(config, { ...control, ...foreign }), {
    name: "ConfigError",
    message: /kv\.sqlite3 .* belongs to instance a, .*blobs .* belongs to instance b: .*different/,
  });
  await assert.rejects(checkMarksWithoutPostgres(config, { ...control, ...empty }), {
    name: "ConfigError",
    message: /deno task recover objects$/,
  });
});

Deno.test("a database of an earlier version gives an empty KV its projects by their telemetry", async () => {
  await using database = await testDatabase();
  await using stored = await testObjects();
  await using control = await testKv();
  const stores = { ...control, ...database, ...stored };
  await using writer = testWriter(database.sql);
  await writer.store("7", errorEvent());
  await writer.close();

  await assert.rejects(checkMarks(config, stores), { message: /deno task recover kv$/ });
  assert.match(
    await recover(stores, "kv", silentLogger),
    /1 projects, 1 of them by their telemetry alone/,
  );
  await checkMarks(config, stores);
  await writeMarks(config, stores);
  assert.equal(judge(await readMarks(stores)).kind, "same");
  assert.equal((await findProject(control.kv, "7"))?.name, "Project 7");
});

Deno.test("an older KV put back gives no id out twice, and no revoked key and deleted project back", async () => {
  await using database = await testDatabase();
  await using dir = await tempDir();
  const { sql } = database;
  const kv = await Deno.openKv(dir.join("kv.sqlite3"));
  const { project, organization, serverKey, browserKey } = await makeWorld(kv);
  const input = { organizationId: organization.id, platform: "" };
  const deleted = await createProject(kv, { ...input, name: "Deleted" });
  kv.close();
  await Deno.copyFile(dir.join("kv.sqlite3"), dir.join("older.sqlite3"));
  const now = await Deno.openKv(dir.join("kv.sqlite3"));
  await reissueKey(now, serverKey);
  await createProject(now, { ...input, name: "Newer" });
  await copyControl({ kv: now, sql });
  await deleteProject({ kv: now, sql }, deleted, "ann");
  now.close();

  const older = await Deno.openKv(dir.join("older.sqlite3"));
  await addMissing({ kv: older, sql });
  assert.equal((await findProject(older, "3"))?.name, "Newer");
  assert.equal(await findProject(older, deleted.id), null);
  assert.equal((await createProject(older, { ...input, name: "Next" })).id, "4");
  assert.equal((await findIngest(older, serverKey))?.key.isActive, false);
  assert.equal((await findIngest(older, browserKey))?.key.isActive, true);
  assert.equal((await listProjects(older, organization.id)).length, 3);
  assert.equal((await findProject(older, project.id))?.slug, project.slug);
  older.close();
});

Deno.test("Postgres keeps a copy of projects and of keys' hashes that follows each change", async () => {
  await using database = await testDatabase();
  await using control = await testKv();
  const { sql } = database;
  const { kv } = control;
  const mirror = startControlMirror({ kv, sql });
  const { project } = await makeWorld(kv);
  const hashes = async () => {
    await mirror.flush();
    const rows = await sql<
      { hash: string }[]
    >`select key_hash as hash from control_keys order by 1`;
    return rows.map(({ hash }) => hash);
  };
  const before = await hashes();
  assert.equal(before.length, 2);
  const [key] = await listKeys(kv, project.id);
  await reissueKey(kv, key?.publicKey ?? "");
  const after = await hashes();
  assert.equal(after.length, 2);
  assert.equal(after.filter((hash) => before.includes(hash)).length, 1, "revoked keys leave it");
  const [row] = await sql`select name, slug, platform from control_projects`;
  assert.deepEqual(row, { name: "acme shop", slug: "acme-shop", platform: "node" });
  const text = JSON.stringify(await sql`select * from control_keys`);
  for (const { publicKey } of await listKeys(kv, project.id)) assert.ok(!text.includes(publicKey));
  await mirror.close();
});

Deno.test("a KV that is put back takes no deletions from the database of another installation", async () => {
  await using control = await testKv();
  await using stored = await testObjects();
  await using own = await testDatabase();
  await using foreign = await testDatabase();
  await writeMarks(config, { ...control, ...stored, ...own });
  const { project, serverKey } = await makeWorld(control.kv);
  await writeMark({ ...control, ...stored, ...foreign }, "postgres", crypto.randomUUID());
  await writeTombstone(foreign.sql, { ...project, deletedBy: "a stranger" });
  await foreign.sql`update deleted_projects set purged_at = now()`;

  const mixed = { ...control, ...stored, ...foreign };
  await assert.rejects(goOnWithCopy(config, mixed, silentLogger), {
    name: "ConfigError",
    message: /different installations/,
  });
  assert.notEqual(await findIngest(control.kv, serverKey), null);
  await goOnWithCopy(config, { ...control, ...stored, ...own }, silentLogger);
});
