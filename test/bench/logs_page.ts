/**
 * What the Logs page asks Postgres, timed with 1,000,000 logs of one project among 500,000 of another, over 14 days.
 * Prints milliseconds, warm; judges nothing.
 */
import { connectServer, type Sql } from "../../lib/store/database.ts";
import { countLogs, listLogs } from "../../lib/logs/queries.ts";
import { migrate } from "../../lib/store/migrate.ts";
import { ensurePartitions } from "../../lib/store/partitions.ts";
import { parseLogParams } from "../../lib/logs/list_page.tsx";
import { bucketSecondsFor, intervalOf, parseScope } from "../../lib/ui/scope.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { benchDatabase } from "./database.ts";
import { milliseconds, timed } from "./timing.ts";

const PROJECT = "1";
const DAYS = 14;
const DAY_MS = 86_400_000;

await using database = await benchDatabase();
await using stack = new AsyncDisposableStack();
const sql = connectServer(database.url);
stack.defer(() => sql.end());
await migrate(sql, silentLogger);
await fillLogs(sql, PROJECT, 1_000_000);
await fillLogs(sql, "2", 500_000);
await sql`vacuum analyze logs`;

const SEARCHES: Record<string, string> = {
  "everything": "",
  "errors": "level=error",
  "environment": "environment=staging",
  "a frequent word": "query=placed",
  "a rare word": "query=customer-77777",
  "no such word": "query=nonsense",
  "logger": "query=logger:shop.stock",
  "attribute": "query=item:4711",
  "not an attribute": "query=!item:4711",
  "trace": `query=trace:${await traceOf(sql)}`,
};

const COLUMNS = ["list 24 h", "count 24 h", "list 14 d", "count 14 d"];
console.log("Logs page, ms".padEnd(24), ...COLUMNS.map((column) => column.padStart(10)));
for (const [name, search] of Object.entries(SEARCHES)) {
  const times: number[] = [];
  for (const range of ["24h", "14d"]) {
    const selection = selectionOf(`${search}&range=${range}`);
    times.push(
      await timed(() => listLogs(sql, { ...selection, cursor: null, limit: 50 })),
      await timed(() => countLogs(sql, selection, bucketSecondsFor(selection))),
    );
  }
  console.log(name.padEnd(24), ...times.map(milliseconds));
}

function selectionOf(search: string) {
  const params = new URLSearchParams(search);
  const scope = parseScope(params);
  const { environments, releases } = scope;
  return {
    projectId: PROJECT,
    ...intervalOf(scope, new Date()),
    environments,
    releases,
    ...parseLogParams(params),
  };
}

async function traceOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select replace(trace_id::text, '-', '') as id from logs where project_id = ${PROJECT} limit 1
  `;
  return row?.id ?? "";
}

/** Straight by SQL, as the writer would have: five logs a trace, words and attributes of different rarity. */
async function fillLogs(sql: Sql, projectId: string, count: number): Promise<void> {
  const days = Array.from({ length: DAYS + 2 }, (_, i) => new Date(Date.now() - (i - 1) * DAY_MS));
  await ensurePartitions(sql, days);
  await sql`
    insert into logs (
      project_id, "timestamp", log_id, received_at, level, body, logger, server, environment, release,
      trace_id, span_id, attributes
    )
    with traces as (
      select id, gen_random_uuid() as trace_id, random() as a, random() as b,
        now() - make_interval(secs => ${DAYS * 86_400}::float8 * random()) as "timestamp"
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
