/**
 * What the Issues page and the Issue page ask Postgres, timed with 1,000,000 events in 5,000 issues over 14 days.
 * Prints milliseconds, warm; judges nothing. `--keep` leaves the database, `--database=<url>` uses one that was kept.
 */
import { migrate } from "../../lib/store/migrate.ts";
import { connectServer, type Sql } from "../../lib/store/database.ts";
import { loadIssueList } from "../../lib/errors/issue_list.ts";
import { ISSUE_SORTS } from "../../lib/errors/issues.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { benchDatabase } from "./database.ts";
import { fillIssues } from "./fill_issues.ts";
import { timeIssuePage } from "./issue_page.ts";
import { milliseconds, timed } from "./timing.ts";

const PROJECT = "1";
const SORTS = ISSUE_SORTS;

const kept = Deno.args.find((argument) => argument.startsWith("--database="))?.slice(11);
await using stack = new AsyncDisposableStack();
const url = kept ?? await fill(stack);
const sql = connectServer(url);
stack.defer(() => sql.end());
if (Deno.args.includes("--keep")) console.log(`kept: --database=${url}`);

const kv = await Deno.openKv(":memory:");
stack.defer(() => kv.close());
const searcher = { kv, userId: crypto.randomUUID() };

const [newest] = await sql<{ release: string }[]>`
  select last_release as release from issues where project_id = ${PROJECT}
  order by last_seen desc limit 1
`;
const release = newest?.release ?? "";
const SCOPES: Record<string, string> = {
  "everything": "",
  "environment": "environment=production",
  "release": `release=${encodeURIComponent(release)}`,
  "both": `environment=production&release=${encodeURIComponent(release)}`,
  "24 hours": "range=24h",
  "past week": pastWeek(),
  "past week, environment": `${pastWeek()}&environment=production`,
  "tag": "query=browser:Firefox",
  "rare tag": "query=customer:c77",
  "not tag": "query=!browser:Firefox",
  "user": "query=user:id:77",
  "text": "query=TypeError%20undefined",
  "counts and ages": "query=timesSeen:%3E100%20firstSeen:-7d",
};

console.log("\nIssues page: all its queries at once, ms");
console.log("".padEnd(24), ...SORTS.map((sort) => sort.padStart(10)));
for (const [name, scope] of Object.entries(SCOPES)) {
  const times: number[] = [];
  for (const sort of SORTS) {
    const search = parameters(`${scope}&sort=${sort}`);
    times.push(await timed(() => loadIssueList(sql, PROJECT, search, searcher)));
  }
  console.log(name.padEnd(24), ...times.map(milliseconds));
}
await timeIssuePage(sql, PROJECT);

async function fill(stack: AsyncDisposableStack): Promise<string> {
  const database = await benchDatabase();
  if (!Deno.args.includes("--keep")) stack.use(database);
  const sql: Sql = connectServer(database.url);
  const began = performance.now();
  await migrate(sql, silentLogger);
  await fillIssues(sql, PROJECT);
  await sql.end();
  console.log(`filled in ${Math.round((performance.now() - began) / 1000)} s`);
  return database.url;
}

function pastWeek(): string {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 16);
  return `range=custom&start=${day(10)}&end=${day(3)}`;
}

function parameters(text: string): URLSearchParams {
  return new URLSearchParams(text);
}
