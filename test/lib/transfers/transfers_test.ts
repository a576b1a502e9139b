import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { events } from "@/lib/transfers/sources/events.ts";
import type { Batch } from "@/lib/transfers/sources/source.ts";
import { exportFile } from "@/lib/transfers/files.ts";
import {
  askForTransfer,
  endTransfer,
  findTransfer,
  listTransfers,
  noteProgress,
} from "@/lib/transfers/transfers.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { sendSentry, transferred } from "../../support/transferred.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("an export that was cut short goes on where it was, and its files go when it expires", async () => {
  await using world = await transferred();
  const { project, services } = world;
  const { sql, objects } = services;
  await sendSentry(world);
  // The clock of the services and that of the test share the store, and whichever works meets the outage.
  const put = objects.put.bind(objects);
  let puts = 0;
  Object.assign(objects, {
    put: (...sent: Parameters<typeof put>) =>
      ++puts === 3 ? Promise.reject(new Error("The store is away")) : put(...sent),
  });
  await world.exported(project);
  assert.ok(puts > 3);
  const [transfer] = await listTransfers(sql, project.id);
  const done = transfer ?? null;
  const id = done?.id ?? "";
  assert.deepEqual([done?.state, done?.counts.events, done?.counts.issues], ["done", 5, 3]);
  assert.ok(done);
  await sql`
    update transfers set expires_at = now() - interval '1 second' where project_id = ${project.id}
  `;
  const expired = await waitFor("the end of its files", async () => {
    await world.work();
    const found = await findTransfer(sql, project.id, id);
    return found?.expiresAt === null ? found : undefined;
  });
  assert.equal(expired?.sizeBytes, 0);
  assert.equal(await exportFile(services, project, expired), null);
  assert.deepEqual(await Array.fromAsync(objects.list(`transfers/${project.id}/`)), []);
});

Deno.test("what was exported and not noted is not in the archive beside what is exported in its place", async () => {
  await using world = await transferred();
  const { project, services: { sql, objects } } = world;
  await sendSentry(world);
  const put = objects.put.bind(objects);
  let hasFailed = false;
  Object.assign(objects, {
    async put(...sent: Parameters<typeof put>) {
      const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
        select count(*)::int as count from transfer_parts
        where project_id = ${project.id} and name like 'attachments/%'
      `;
      if (count === 0 || hasFailed) return await put(...sent);
      // The files are exported, and go before anybody has noted that.
      hasFailed = true;
      await sql`delete from attachments where project_id = ${project.id}`;
      throw new Error("The store is away");
    },
  });
  const files = unzipSync(await world.exported(project));
  assert.ok(hasFailed);
  assert.deepEqual(Object.keys(files).filter((name) => name.startsWith("attachments/")), []);
  const numbers = await sql<{ number: number }[]>`
    select number from transfer_parts where project_id = ${project.id} order by number
  `;
  assert.deepEqual(numbers.map(({ number }) => number), numbers.map((_, place) => place));
});

Deno.test("a range leaves out what lies beside it", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  await sendSentry(world);
  const id = await askForTransfer(sql, project, {
    kind: "export",
    by: "olga",
    until: new Date(Date.now() - 86_400_000),
  });
  await world.exported(project);
  const done = await findTransfer(sql, project.id, id);
  assert.deepEqual([done?.state, done?.counts], ["done", {}]);
});

Deno.test("a process that hung neither sets an export back nor ends it", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const id = await askForTransfer(sql, project, { kind: "export", by: "olga" });
  const hung = await findTransfer(sql, project.id, id);
  assert.ok(hung);
  await world.exported(project);
  const late = { step: 1, cursor: null, parts: 0 };
  assert.equal(await noteProgress(sql, hung, late), false);
  await endTransfer(sql, hung, "It hung.", 0);
  const after = await findTransfer(sql, project.id, id);
  assert.deepEqual([after?.state, after?.lastError], ["done", ""]);
});

Deno.test("a file at which the process ended three times is given up with a sentence, and what waits behind it is done", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const ids = ["", ""].map(() => crypto.randomUUID());
  for (const [index, id] of ids.entries()) {
    // As processes have left it that ended before they came further.
    const progress = { step: 0, cursor: null, parts: 0, tries: 3 - index };
    await sql`
      insert into transfers (project_id, id, organization_id, kind, asked_by, asked_at, progress)
      values (${project.id}, ${id}, ${project.organizationId}, 'export', 'olga',
        now() - interval '1 hour', ${JSON.stringify(progress)}::text::jsonb)
    `;
  }
  await world.exported(project);
  const found = await Promise.all(ids.map((id) => findTransfer(sql, project.id, id)));
  assert.deepEqual(found.map((each) => [each?.state, each?.lastError]), [
    ["failed", "It was given up: Watchpost ended three times at the same place of it."],
    ["done", ""],
  ]);
});

Deno.test("a store that is away, however often, is no reason to give an export up", async () => {
  await using world = await transferred();
  const { project, services: { sql, objects } } = world;
  await sendSentry(world);
  const put = objects.put.bind(objects);
  const tries: unknown[] = [];
  Object.assign(objects, {
    async put(...sent: Parameters<typeof put>) {
      const [transfer] = await listTransfers(sql, project.id);
      tries.push(transfer?.progress.tries);
      if (tries.length <= 5) throw new Error("The store is away");
      await put(...sent);
    },
  });
  await world.exported(project);
  assert.deepEqual(tries.slice(0, 6), [1, 1, 1, 1, 1, 1]);
});

Deno.test("only so many wait at a time", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  await sql`
    insert into transfers (project_id, id, organization_id, kind, asked_by, asked_at)
    select ${project.id}, gen_random_uuid(), ${project.organizationId}, 'export', 'x', now()
    from generate_series(1, 20)
  `;
  await assert.rejects(
    askForTransfer(sql, project, { kind: "export", by: "olga" }),
    InvalidInput,
  );
});

Deno.test("an export has the files of a few events in memory, however many events there are", async () => {
  await using world = await transferred();
  const { project, services } = world;
  await sendSentry(world);
  // As if each of the four files had 10 MB.
  await services.sql`
    update attachments set size_bytes = 10 * 1024 * 1024 where project_id = ${project.id}
  `;
  const stores = { ...services, log: silentLogger };
  const range = {
    projectId: project.id,
    slug: project.slug,
    since: new Date(0),
    until: new Date(),
    isWhole: true,
  };
  const batches: Batch[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null;) {
    const batch: Batch = await events.next(stores, range, cursor);
    batches.push(batch);
    [cursor, isFirst] = [batch.cursor, false];
  }
  const files = batches.map(({ counts }) => counts.attachments ?? 0);
  assert.deepEqual(files.filter((count) => count > 0), [1, 1, 1, 1]);
  assert.equal(batches.reduce((sum, { counts }) => sum + (counts.events ?? 0), 0), 5);
  const names = batches.flatMap(({ pieces }) => pieces.map(({ name }) => name))
    .filter((name) => name.startsWith("attachments/"));
  assert.equal(new Set(names).size, 4);
});
