/** What the stores have about some projects and their organization, to be compared with what they have later. */
import type { Services } from "@/lib/server/services.ts";
import { waitFor } from "./wait_for.ts";

export type Stored = ReadonlyMap<string, string>;

/** What changes by itself, and with who is there. */
const PASSING = new Set([
  ...["attempts", "known_device", "lease", "process", "session", "session_of", "work_done"],
  ...["status_snapshot", "status_snapshot_part"],
]);

/** What a clock of the instance writes of its own accord. */
const OF_CLOCKS = ["evaluated_until", "is_joined", "last_error", "told_at"];

/** @param about what KV entries are meant, by their keys and values */
async function storedNow(
  { sql, kv }: Services,
  projectIds: readonly string[],
  about: RegExp,
): Promise<Stored> {
  const stored = new Map<string, string>();
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'project_id'
    where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
      and relname <> 'alert_states'
  `;
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(t) - ${OF_CLOCKS}::text[])::text as row from ${
      sql(name)
    } t where project_id = any(${projectIds}::bigint[])
      order by 1
    `;
    stored.set(name, rows.map(({ row }) => row).join("\n"));
  }
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const text = `${JSON.stringify(key)} ${JSON.stringify(value)}`;
    if (about.test(text) && !PASSING.has(String(key[0]))) stored.set(JSON.stringify(key), text);
  }
  return stored;
}

/** The same when nothing is on its way any more: some is counted and joined after it was stored. */
export async function storedAbout(...parameters: Parameters<typeof storedNow>): Promise<Stored> {
  let stored = await storedNow(...parameters);
  return await waitFor("all of what is on its way", async () => {
    const last = stored;
    stored = await storedNow(...parameters);
    return differences(last, stored).length === 0 ? stored : null;
  });
}

/** Where two differ. */
export function differences(before: Stored, after: Stored): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${before.get(key) ?? "nothing"} became ${after.get(key) ?? "nothing"}`);
}
