import assert from "node:assert/strict";
import { type Columns, incoming, newRows } from "@/lib/store/incoming_rows.ts";
import { testDatabase } from "@/test/support/database.ts";

const time = new Date("2026-01-02T03:04:05.678Z");

Deno.test("newRows() writes values of every type as they are, and nulls where they may stand", async () => {
  await using database = await testDatabase();
  const columns: Columns<{ readonly id: number; readonly text: string | null }> = {
    id: ["bigint", ({ id }) => id],
    text: ["text", ({ text }) => text],
    timestamp: ["timestamptz", () => time],
    day: ["date", () => "2026-01-02"],
    flag: ["boolean", ({ id }) => id === 1],
    number: ["double precision", ({ id }) => id / 2],
    texts: ["text[]", () => '{"a","b,c"}'],
    json: ["json", () => JSON.stringify({ quoted: 'say "hi"\n' })],
    bytes: ["hex", () => "00ff"],
    long_text: ["long_text", ({ id }) => `${id}, and so on`],
    long_bytes: ["long_hex", () => "beef"],
  };
  const rows = await database.sql.begin(async (tx) => {
    await tx`
      create temporary table written (
        id bigint, text text, "timestamp" timestamptz, day date, flag boolean, number double precision,
        texts text[], json jsonb, bytes bytea, long_text text, long_bytes bytea
      ) on commit drop
    `;
    const sent = [{ id: 1, text: "it's" }, { id: 2, text: null }];
    await tx`insert into written ${newRows(tx, sent, columns)}`;
    return await tx`
      select id::int, text, "timestamp", day::text, flag, number, texts, json->>'quoted' as json,
        encode(bytes, 'hex') as bytes, long_text, encode(long_bytes, 'hex') as long_bytes
      from written order by id
    `;
  });
  const same = {
    timestamp: time,
    day: "2026-01-02",
    texts: ["a", "b,c"],
    json: 'say "hi"\n',
    bytes: "00ff",
    long_bytes: "beef",
  };
  assert.deepEqual([...rows].map((row) => ({ ...row })), [
    { id: 1, text: "it's", flag: true, number: 0.5, long_text: "1, and so on", ...same },
    { id: 2, text: null, flag: false, number: 1, long_text: "2, and so on", ...same },
  ]);
});

Deno.test("incoming() is a table without rows where there are none", async () => {
  await using database = await testDatabase();
  const rows = await database.sql.begin((tx) =>
    tx`select id from ${incoming(tx, [], { id: ["bigint", () => 1] })}`
  );
  assert.equal(rows.length, 0);
});
