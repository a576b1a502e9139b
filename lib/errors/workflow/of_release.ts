/** The issues that a release has to do with, beside those that it was the first to have. */
import { storable } from "../../core/errors.ts";
import type { Queryable } from "../../store/database.ts";

/** Ids of issues; of more nobody reads a list. */
export interface IssuesOfRelease {
  /** An event of this release reopened them, whatever became of them since. */
  readonly regressed: readonly string[];
  /** They are resolved, and were so in this release. */
  readonly resolved: readonly string[];
}

/** As many as an address of the list can name. */
const MAX_ISSUES = 100;

/**
 * Issues that came back in a release, and those that are resolved in it: by hand, by a commit, or as what was to come
 * after the release before.
 *
 * @param before the release that this one is the next of, or null
 */
export async function issuesOfRelease(
  sql: Queryable,
  projectId: string,
  version: string,
  before: string | null,
): Promise<IssuesOfRelease> {
  const [regressed, resolved] = await Promise.all([
    sql<{ id: string }[]>`
      select distinct coalesce(issues.merged_into, issues.id) as id
      from issue_activity as activity
      join issues on issues.project_id = activity.project_id and issues.id = activity.issue_id
      where activity.project_id = ${projectId} and activity.type = 'set_regression'
        and activity.data->>'version' = ${storable(version)}
      order by id desc limit ${MAX_ISSUES}
    `,
    sql<{ id: string }[]>`
      select id from issues
      where project_id = ${projectId} and merged_into is null and status = 'resolved'
        and resolution is not null and (
          resolution->>'kind' = 'release' and resolution->>'version' = ${storable(version)}
          or resolution->>'kind' = 'next' and resolution->>'after' = ${storable(before ?? "")}
        )
      order by id desc limit ${MAX_ISSUES}
    `,
  ]);
  return { regressed: regressed.map(({ id }) => id), resolved: resolved.map(({ id }) => id) };
}
