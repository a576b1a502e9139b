/** Check-ins that were not taken, or not as they were meant: a client has its 202 before anybody knows. */
import { message } from "../../core/language/translate.ts";
import { storable } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Queryable } from "../../store/database.ts";

/** As Sentry calls them, with what whoever sends can do. */
export const ERROR_WORDS = {
  CHECKIN_ENVIRONMENT_MISMATCH: message(
    "The id belongs to a run of another monitor or environment. Make a new id for each run.",
  ),
  CHECKIN_FINISHED: message("The run had ended already. Make a new id for each run."),
  MONITOR_DISABLED: message(
    "The monitor is switched off: enable it, or stop the job from reporting.",
  ),
  MONITOR_INVALID_CONFIG: message(
    "The monitor_config could not be used, and what held before still holds.",
  ),
  MONITOR_LIMIT_EXCEEDED: message(
    "The project has as many monitors as it may: delete some, and give jobs names without ids or times.",
  ),
  MONITOR_ENVIRONMENT_LIMIT_EXCEEDED: message("The monitor has as many environments as it may."),
  MONITOR_ENVIRONMENT_RATELIMITED: message(
    "More than 6 check-ins of one environment came in a minute: the rest of the minute was dropped.",
  ),
} as const;
export type ErrorType = keyof typeof ERROR_WORDS;

/** What happens over and over tells nothing new. */
const KEPT = 10;
const KEPT_DAYS = 7;

export interface ProcessingError {
  readonly errorId: string;
  readonly slug: string;
  readonly environment: string;
  readonly type: ErrorType;
  /** What exactly, or `""`. */
  readonly detail: string;
  readonly notedAt: Date;
}

/** Keeps what was wrong with a check-in, and of a monitor the newest ten. */
export async function noteError(
  tx: Queryable,
  projectId: string,
  { slug, environment, type, detail, notedAt }: Omit<ProcessingError, "errorId">,
): Promise<void> {
  await tx`
    insert into monitor_errors (project_id, error_id, slug, environment, type, detail, noted_at)
    values (
      ${projectId}, gen_random_uuid(), ${slug}, ${environment}, ${type}, ${
    storable(detail).toWellFormed().slice(0, 500)
  },
      ${notedAt}
    )
  `;
  await tx`
    delete from monitor_errors where project_id = ${projectId} and error_id in (
      select error_id from monitor_errors where project_id = ${projectId} and slug = ${slug}
      order by noted_at desc, error_id offset ${KEPT}
    )
  `;
}

/**
 * What was wrong in the last week, the newest first.
 *
 * @param slug of one monitor; null: of all
 */
export async function listErrors(
  sql: Queryable,
  projectId: string,
  slug: string | null,
  now: Date = new Date(),
): Promise<ProcessingError[]> {
  return await sql<ProcessingError[]>`
    select error_id as "errorId", slug, environment, type, detail, noted_at as "notedAt"
    from monitor_errors
    where project_id = ${projectId} ${slug === null ? sql`` : sql`and slug = ${slug}`}
      and noted_at > ${new Date(now.getTime() - KEPT_DAYS * DAY_MS)}
    order by noted_at desc, error_id limit ${KEPT}
  `;
}

/** @returns whether there was such an error */
export async function deleteError(
  sql: Queryable,
  projectId: string,
  slug: string,
  errorId: string,
): Promise<boolean> {
  const { count } = await sql`
    delete from monitor_errors
    where project_id = ${projectId} and slug = ${slug} and error_id::text = ${storable(errorId)}
  `;
  return count > 0;
}
