/** Issues that commits say they fix: `fixes SHOP-1A`. */
import type { Project } from "../../accounts/projects.ts";
import { fixesIn } from "../../releases/mod.ts";
import type { Sql } from "../../store/database.ts";
import { writeActivity } from "../workflow/activity.ts";
import { parseShortId } from "../workflow/short_id.ts";
import type { HeardCommit } from "./tracker.ts";

/** Notes in the activity of issues which commits name them; each once, however often it is told. */
export async function noteReferences(
  sql: Sql,
  project: Project,
  commits: readonly HeardCommit[],
): Promise<void> {
  for (const commit of commits) {
    const numbers = fixesIn(commit.message).flatMap((name) => {
      const short = parseShortId(name);
      return short?.slug === project.slug ? [short.number] : [];
    });
    if (numbers.length === 0) continue;
    await sql.begin(async (tx) => {
      const issues = await tx<{ id: string }[]>`
        select coalesce(merged_into, id)::text as id from issues
        where project_id = ${project.id} and number = any (${numbers}::bigint[])
        order by id for update
      `;
      const ids = [...new Set(issues.map(({ id }) => id))];
      const known = await tx<{ id: string }[]>`
        select issue_id::text as id from issue_activity
        where project_id = ${project.id} and issue_id = any (${ids}::bigint[])
          and type = 'referenced_in_commit' and data->>'commit' = ${commit.id}
      `;
      const told = new Set(known.map(({ id }) => id));
      await writeActivity(
        tx,
        ids.filter((id) => !told.has(id)).map((issueId) => ({
          projectId: project.id,
          issueId,
          type: "referenced_in_commit" as const,
          actor: { kind: "system" as const },
          data: {
            commit: commit.id,
            repository: commit.repository,
            message: commit.message.split("\n", 1)[0]?.slice(0, 200) ?? "",
            author: commit.author.name,
          },
          at: new Date(),
        })),
      );
    });
  }
}
