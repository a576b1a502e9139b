import type { Sql } from "../../lib/store/database.ts";
import { listEventsOfIssue } from "../../lib/errors/events.ts";
import { loadIssuePage } from "../../lib/errors/load_issue_page.ts";
import { milliseconds, timed } from "./timing.ts";

const DAY_MS = 86_400_000;
const SCOPES: Record<string, string> = {
  "everything": "",
  "environment": "environment=production",
  "24 hours": "range=24h",
};

/** Prints how long the queries of the page of one issue take, for a frequent, a usual and a rare one. */
export async function timeIssuePage(sql: Sql, projectId: string): Promise<void> {
  const issues = await sql<{ id: string; events: number; middle: string }[]>`
    select id, times_seen::int as events, (
      select replace(event_id::text, '-', '') from events
      where project_id = ${projectId} and issue_id = issues.id
      order by "timestamp" limit 1 offset issues.times_seen / 2
    ) as middle
    from issues where project_id = ${projectId} and id in (1, 100, 2500) order by id
  `;
  const columns = ["latest", "oldest", "an event", "event list"];
  console.log("\nIssue page: all its queries at once, ms");
  console.log("".padEnd(32), ...columns.map((column) => column.padStart(10)));
  for (const { id, events, middle } of issues) {
    for (const [name, scope] of Object.entries(SCOPES)) {
      const search = new URLSearchParams(scope);
      const page = (which: string) =>
        timed(() => loadIssuePage(sql, { projectId, issueId: id, which, search }));
      const times = [
        await page("latest"),
        await page("oldest"),
        await page(middle),
        await timed(() => list(sql, projectId, id)),
      ];
      console.log(`${events} events, ${name}`.padEnd(32), ...times.map(milliseconds));
    }
  }
}

function list(sql: Sql, projectId: string, issueId: string) {
  return listEventsOfIssue(sql, {
    projectId,
    issueId,
    environments: [],
    releases: [],
    start: new Date(Date.now() - 14 * DAY_MS),
    end: new Date(),
    cursor: null,
    limit: 50,
  });
}
