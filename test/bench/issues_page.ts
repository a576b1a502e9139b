/**
 * What the Issues page and the Issue page ask Postgres, timed with 1,000,000 events in 5,000 issues over 14 days.
 * Prints milliseconds, warm; judges nothing. `--keep` leaves the database, `--database=<url>` uses one that was kept.
 */
import { migrate } from "../../lib/store/migrate.ts";
import { connectServer, type Sql } from "../../lib/store/database.ts";
import { loadIssueList } from "../../lib/errors/issue_list.ts";
import { ISSUE_SORTS } from "../../lib/errors/issues.ts";
import { createProject } from "../../lib/accounts/projects.ts";
import { createOrganization } from "../support/organizations.ts";
import { person } from "../support/people.ts";
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
const searcher = await someone(kv, sql);

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
  "text": "query=TypeError:%20Cannot%20read",
  "common text": "query=of%20undefined",
  "text of all stacks": "query=lib/router/layer",
  "text of rare stacks": "query=step77_2",
  "text of none": "query=nowhere%20at%20all",
  "function": "query=stack.function:handle7",
  "function pattern": "query=stack.function:step*",
  "function of all": "query=stack.function:next",
  "file": "query=stack.filename:*layer7.js",
  "not in stacks": "query=!stack.function:next",
  "priority": "query=issue.priority:high",
  "state": "query=is:escalating",
  "for review": "query=is:for_review",
  "bookmarks": "query=bookmarks:me",
  "mine": "query=assigned:[me,my_teams]",
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

/** Somebody in the project, who has a fiftieth of the issues that are assigned, and has marked some. */
async function someone(kv: Deno.Kv, sql: Sql) {
  const { id: userId } = await person(kv, "ann");
  const { id: organizationId } = await createOrganization(kv, { name: "acme", ownerId: userId });
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  if (id !== PROJECT) throw new Error(`The project is ${id}`);
  await sql`
    update issues set assignee_id = ${userId}
    where assignee_kind = 'user' and (assignee_id = '6' or length(assignee_id) = 36)
  `;
  await sql`
    update issue_people set user_id = ${userId} where user_id = '3' or length(user_id) = 36
  `;
  return { kv, userId };
}

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
