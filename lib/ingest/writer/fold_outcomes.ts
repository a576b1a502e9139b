import type { Sql } from "../../store/database.ts";

/** Rows of one transaction: some hundred commits. */
const ROWS_A_FOLD = 10_000;
/** Advisory lock of this database under which outcomes are folded. */
const OUTCOME_FOLD_LOCK = 7_310_577_004;

/**
 * Adds the outcomes that commits have appended so far to those of their hours and days. Readers need not wait for it:
 * the views that they read hold both. Does nothing while somebody else is at it.
 *
 * @throws what `postgres` throws; nothing is lost then, and the next call does it
 */
export async function foldOutcomes(sql: Sql): Promise<void> {
  const [pending] = await sql`select 1 from outcome_journal limit 1`;
  if (pending === undefined) return;
  while (await foldSome(sql) === ROWS_A_FOLD);
}

async function foldSome(sql: Sql): Promise<number> {
  return await sql.begin(async (tx) => {
    const [lock] = await tx<{ isMine: boolean }[]>`
      select pg_try_advisory_xact_lock(${OUTCOME_FOLD_LOCK}) as "isMine"
    `;
    if (!lock?.isMine) return 0;
    const [taken] = await tx<{ rows: number }[]>`
      with taken as (
        delete from outcome_journal
        where ctid = any (array(select ctid from outcome_journal limit ${ROWS_A_FOLD}))
        returning project_id, hour, category, kind, reason, quantity
      ),
      hours as (
        insert into outcome_hours as known (project_id, hour, category, kind, reason, quantity)
        select project_id, hour, category, kind, reason, sum(quantity) from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, hour, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      ),
      days as (
        insert into outcome_days as known (project_id, day, category, kind, reason, quantity)
        select project_id, (hour at time zone 'UTC')::date, category, kind, reason, sum(quantity)
        from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, day, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      )
      select count(*)::int as rows from taken
    `;
    return taken?.rows ?? 0;
  });
}
