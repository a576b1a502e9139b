/**
 * What the Logs page asks Postgres, timed with 1,000,000 logs of one project among 500,000 of another, over 14 days.
 * Prints milliseconds, warm; judges nothing.
 */
import { connectServer, type Sql } from "../../lib/store/database.ts";
import { countLogs, listLogs } from "../../lib/logs/queries.ts";
import { migrate } from "../../lib/store/migrate.ts";
import { parseLogParams } from "../../lib/logs/list_page.tsx";
import { bucketSecondsFor, intervalOf, parseScope } from "../../lib/ui/scope.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { benchDatabase } from "./database.ts";
import { fillLogs } from "./fill_logs.ts";
import { milliseconds, timed } from "./timing.ts";

const PROJECT = "1";
const DAYS = 14;

await using database = await benchDatabase();
await using stack = new AsyncDisposableStack();
const sql = connectServer(database.url);
stack.defer(() => sql.end());
await migrate(sql, silentLogger);
await fillLogs(sql, PROJECT, { count: 1_000_000, days: DAYS });
await fillLogs(sql, "2", { count: 500_000, days: DAYS });
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
