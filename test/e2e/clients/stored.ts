import type { ListeningApp } from "../../support/listening_app.ts";

/** What was refused or lost. An exception of which a log tells as well is a duplicate. */
export async function notStored(
  { services: { sql }, projectId }: ListeningApp,
): Promise<Record<string, unknown>[]> {
  const rows = await sql`
    select category, kind, reason from outcomes
    where project_id = ${projectId} and kind not in ('accepted', 'duplicate', 'client_discard')
  `;
  return rows.map((row) => ({ ...row }));
}

/** How many requests were served and are stored, by now. */
export async function countTransactions(
  { services: { sql }, projectId }: ListeningApp,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from transactions where project_id = ${projectId}
  `;
  return row?.count ?? 0;
}
