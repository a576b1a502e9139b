import assert from "node:assert/strict";
import { moveAudit } from "@/lib/audit/move.ts";
import { addAudit } from "@/lib/accounts/audit.ts";
import { prefixOf } from "@/lib/accounts/kv.ts";
import { deleteExpired } from "@/lib/store/retention.ts";
import { insertAudit, storeAudit } from "@/lib/store/audit.ts";
import { auditEntry, type AuditInput, changesBetween } from "@/lib/records/audit.ts";
import type { Sql } from "@/lib/store/database.ts";
import { testDatabase } from "../../support/database.ts";
import { testKv } from "../../support/stores.ts";

const EDIT: AuditInput = {
  event: "project.edit",
  organizationId: "1",
  projectId: "7",
  target: { kind: "project", id: "7", label: "Shop" },
  changes: changesBetween({ name: "Shop" }, { name: "Shop 2" }),
};

async function labels(sql: Sql): Promise<string[]> {
  const rows = await sql<{ label: string }[]>`
    select target_label as label from audit_entries order by id
  `;
  return rows.map(({ label }) => label);
}

function labelled(label: string): AuditInput {
  return { ...EDIT, target: { ...EDIT.target, label } };
}

Deno.test("moveAudit() takes entries of the control store to the log, in order and once, and leaves none", async () => {
  await using stores = await testKv();
  await using database = await testDatabase();
  const { kv } = stores;
  const { sql } = database;
  const names = Array.from({ length: 250 }, (_, i) => `project ${String(i).padStart(3, "0")}`);
  for (const name of names) await addAudit(kv.atomic(), labelled(name)).commit();

  const [one, other] = await Promise.all([moveAudit({ kv, sql }), moveAudit({ kv, sql })]);

  assert.ok(one + other >= names.length);
  assert.deepEqual(await labels(sql), names);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: prefixOf.auditEntries() })), []);
});

Deno.test("moveAudit() leaves entries where they are while Postgres is away, and moves them later", async () => {
  await using stores = await testKv();
  await using database = await testDatabase();
  const { kv } = stores;
  const away = database.connect();
  await away.end();
  await addAudit(kv.atomic(), EDIT).commit();

  await assert.rejects(moveAudit({ kv, sql: away }));

  assert.equal(await moveAudit({ kv, sql: database.sql }), 1);
  assert.deepEqual(await labels(database.sql), ["Shop"]);
});

Deno.test("an entry holds whatever people write: NUL, halves of characters, backslashes, values without end", async () => {
  await using stores = await testKv();
  await using database = await testDatabase();
  const { kv } = stores;
  const { sql } = database;
  const label = "a\0b\ud800c\\u0000d";
  const long = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`field${i}`, "я".repeat(5_000)]),
  );
  await addAudit(kv.atomic(), { ...labelled(label), changes: changesBetween(null, long) }).commit();

  await moveAudit({ kv, sql });

  assert.deepEqual(await labels(sql), ["abc\\u0000d"]);
});

Deno.test("changes show that a secret changed, and never what it was", () => {
  const changes = changesBetween(
    { name: "a", webhookSecret: "s3cret", url: "https://a", nested: { apiToken: "tok" } },
    { name: "a", webhookSecret: "other", url: "https://b", nested: { apiToken: "tok2" } },
    ["url"],
  );
  assert.deepEqual(changes, {
    webhookSecret: ["[secret]", "[secret]"],
    url: ["[secret]", "[secret]"],
    nested: [{ apiToken: "[secret]" }, { apiToken: "[secret]" }],
  });
});

Deno.test("nothing changes or deletes an entry that is younger than 400 days", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await insertAudit(sql, EDIT);
  for (
    const statement of [
      "update audit_entries set target_label = 'x'",
      "delete from audit_entries",
      "truncate audit_entries",
    ]
  ) await assert.rejects(sql.unsafe(statement), /Audit entries cannot be changed/, statement);
  assert.deepEqual(await labels(sql), ["Shop"]);
});

Deno.test("entries go when they are older than 400 days, however short everything else is kept", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  await storeAudit(sql, [
    auditEntry(labelled("old"), daysAgo(402)),
    auditEntry(labelled("kept"), daysAgo(399)),
  ]);

  const deleted = await deleteExpired(sql, 30, new AbortController().signal);

  assert.equal(deleted["audit_entries"], 1);
  assert.deepEqual(await labels(sql), ["kept"]);
});
