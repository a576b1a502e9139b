import type { Sql } from "../../lib/store/database.ts";
import { ensurePartitions } from "../../lib/store/partitions.ts";

const DAY_MS = 86_400_000;

/** Straight by SQL, as the writer would have: five logs a trace, words and attributes of different rarity. */
export async function fillLogs(
  sql: Sql,
  projectId: string,
  { count, days: length }: { readonly count: number; readonly days: number },
): Promise<void> {
  const days = Array.from(
    { length: length + 2 },
    (_, i) => new Date(Date.now() - (i - 1) * DAY_MS),
  );
  await ensurePartitions(sql, days);
  await sql`
    insert into logs (
      project_id, "timestamp", log_id, received_at, level, body, logger, server, environment, release,
      trace_id, span_id, attributes
    )
    with traces as (
      select id, gen_random_uuid() as trace_id, random() as a, random() as b,
        now() - make_interval(secs => ${length * 86_400}::float8 * random()) as "timestamp"
      from generate_series(1, ${count / 5}::int) as id
    )
    select ${projectId}::bigint, "timestamp" + make_interval(secs => step), gen_random_uuid(), "timestamp",
      case when a < 0.02 then 'error' when a < 0.1 then 'warn' else 'info' end,
      'Order ' || md5(trace_id::text || step) || ' of customer-' || (b * 100000)::int
        || case when step % 2 = 0 then ' was placed' else ' was looked up' end,
      (array['shop.orders', 'shop.stock', 'shop.mail'])[1 + step % 3], 'web-' || (a * 12)::int,
      case when b < 0.9 then 'production' else 'staging' end, 'shop@1.' || (a * 20)::int,
      trace_id, substr(md5(trace_id::text), 1, 16),
      jsonb_build_object('item', (a * 20000)::int, 'route', '/orders/' || (b * 200)::int)
    from traces, generate_series(1, 5) as step
  `;
}
