import assert from "node:assert/strict";
import type { Sql, Transaction } from "@/lib/store/database.ts";
import {
  type Columns,
  incoming,
  insertNew,
  saveRows,
  sendByValue,
  type Table,
} from "@/lib/store/write_rows.ts";
import { testDatabase } from "@/test/support/database.ts";

const time = new Date("2026-01-02T03:04:05.678Z");

/** In one transaction as columns, and in one by value: both say the same. */
async function bothWays<R extends object>(
  sql: Sql,
  work: (tx: Transaction) => Promise<readonly R[]>,
): Promise<R[]> {
  const inTransaction = async (begin: (tx: Transaction) => void) => {
    const rows: R[] = [];
    await sql.begin(async (tx) => {
      begin(tx);
      rows.push(...await work(tx));
    });
    return rows;
  };
  const asColumns = await inTransaction(() => {});
  assert.deepEqual(await inTransaction(sendByValue), asColumns);
  return asColumns;
}

Deno.test("saveRows() writes values of every type as they are, and nulls where they may stand", async () => {
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
    long_bytes: ["long_base64", () => "vu8="],
  };
  const rows = await bothWays(database.sql, async (tx) => {
    await tx`
      create temporary table written (
        project_id bigint, id bigint, text text, "timestamp" timestamptz, day date, flag boolean, number double precision,
        texts text[], json jsonb, bytes bytea, long_text text, long_bytes bytea
      ) on commit drop
    `;
    const sent = [
      { projectId: "1", id: 1, text: "it's" },
      { projectId: "1", id: 2, text: null },
    ];
    await saveRows(tx, { name: "written", key: [], columns }, sent);
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

Deno.test("a statement of the same columns is the same to the driver, which keeps each for good", async () => {
  await using database = await testDatabase();
  const columns: Columns<{ readonly id: number }> = { id: ["bigint", ({ id }) => id] };
  const texts = (count: number) =>
    Reflect.get(incoming(database.sql, Array(count).fill({ id: 1 }), columns), "strings");

  assert.equal(texts(2), texts(1));
});

Deno.test("incoming() is a table without rows where there are none", async () => {
  await using database = await testDatabase();
  const rows = await database.sql.begin((tx) =>
    tx`select id from ${incoming(tx, [], { id: ["bigint", () => 1] })}`
  );
  assert.equal(rows.length, 0);
});

interface Seen {
  readonly projectId: string;
  readonly name: string;
  readonly times: number;
  readonly day: string;
}

const SEEN: Table<Seen> = {
  name: "seen",
  key: ["name"],
  columns: {
    name: ["text", ({ name }) => name],
    times: ["bigint", ({ times }) => times, "add"],
    first: ["date", ({ day }) => day, "least"],
    last: ["date", ({ day }) => day, "greatest"],
    newest: ["text", ({ day }) => day, "replace"],
    marks: ["hex", () => "aa", "append"],
    flag: ["boolean", ({ times }) => times > 1, "either"],
    origin: ["text", ({ day }) => day],
  },
};

Deno.test("saveRows() merges rows of one key as the columns say, and leaves the others alone", async () => {
  await using database = await testDatabase();
  const rows = await bothWays(database.sql, async (tx) => {
    await tx`
      create temporary table seen (
        project_id bigint, name text, times bigint, first date, last date, newest text, marks bytea,
        flag boolean, origin text, primary key (project_id, name)
      ) on commit drop
    `;
    await saveRows(tx, SEEN, []);
    const [projectId, name] = ["1", "a"];
    await saveRows(tx, SEEN, [
      { projectId, name, times: 1, day: "2026-01-02" },
      { projectId: "2", name, times: 1, day: "2026-01-02" },
    ]);
    await saveRows(tx, SEEN, [{ projectId, name, times: 2, day: "2026-01-01" }]);
    const unchanging = { ...SEEN, changesIf: "known.last < excluded.last" };
    await saveRows(tx, unchanging, [{ projectId, name, times: 7, day: "2026-01-01" }]);
    return await tx`
      select project_id::int as project, times::int, first::text, last::text, newest, marks, flag, origin
      from seen order by project_id
    `;
  });
  assert.deepEqual([...rows].map((row) => ({ ...row, marks: row.marks.toString("hex") })), [
    {
      project: 1,
      times: 3,
      first: "2026-01-01",
      last: "2026-01-02",
      newest: "2026-01-01",
      marks: "aaaa",
      flag: true,
      origin: "2026-01-02",
    },
    {
      project: 2,
      times: 1,
      first: "2026-01-02",
      last: "2026-01-02",
      newest: "2026-01-02",
      marks: "aa",
      flag: false,
      origin: "2026-01-02",
    },
  ]);
});

Deno.test("insertNew() answers the rows that were not there, of several with one id the first", async () => {
  await using database = await testDatabase();
  const row = (digit: string, text: string) => ({ projectId: "1", id: digit.repeat(32), text });
  const table = {
    name: "once",
    key: ["id"],
    id: "id",
    idOf: ({ id }: { readonly id: string }) => id,
    columns: {
      id: ["uuid", ({ id }) => id],
      text: ["text", ({ text }) => text],
    } satisfies Columns<ReturnType<typeof row>>,
  };
  const stored = await bothWays(database.sql, async (tx) => {
    await tx`
      create temporary table once (
        project_id bigint, id uuid, text text, primary key (project_id, id)
      ) on commit drop
    `;
    assert.deepEqual(await insertNew(tx, table, []), []);
    await insertNew(tx, table, [row("1", "first")]);
    return await insertNew(tx, table, [
      row("1", "again"),
      row("2", "a"),
      row("2", "b"),
      row("3", "c"),
    ]);
  });
  assert.deepEqual(stored.map(({ text }) => text).sort(), ["a", "c"]);
});

Deno.test("rows sent by value go in the order of the key, however many they are", async () => {
  await using database = await testDatabase();
  const table: Table<{ readonly projectId: string; readonly id: number }> = {
    name: "sorted",
    key: ["id"],
    columns: { id: ["bigint", ({ id }) => id] },
  };
  const rows = Array.from({ length: 113 }, (_, index) => ({
    projectId: index % 2 === 0 ? "9" : "10",
    id: index * 7 % 113,
  }));
  await database.sql.begin(async (tx) => {
    sendByValue(tx);
    await tx`
      create temporary table sorted (
        project_id bigint, id bigint, place bigserial, primary key (project_id, id)
      ) on commit drop
    `;
    await saveRows(tx, table, rows);
    const written = await tx<{ projectId: string; id: number }[]>`
      select project_id as "projectId", id::int from sorted order by place
    `;
    const sorted = rows.toSorted((a, b) =>
      Number(a.projectId) - Number(b.projectId) || a.id - b.id
    );
    assert.deepEqual(written.map((row) => ({ ...row })), sorted);
  });
});
