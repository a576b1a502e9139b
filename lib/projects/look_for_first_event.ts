import { findProject } from "../accounts/projects.ts";
import type { Services } from "../server/services.ts";
import { firstRecord } from "./first_record.ts";
import { firstEvent } from "../errors/occurrences.ts";
import {
  firstErrorView,
  type FirstEventView,
  firstOtherView,
  firstRecordView,
} from "./first_event.ts";

/**
 * The first data of a project: an error, else a trace, else a log, else whatever it was. Null: there is none yet, or a
 * store does not answer just now.
 */
export async function lookForFirstEvent(
  { kv, sql, log }: Pick<Services, "kv" | "sql" | "log">,
  projectId: string,
): Promise<FirstEventView | null> {
  try {
    const error = await firstEvent(sql, projectId);
    if (error !== null) return firstErrorView(projectId, error);
    const record = await firstRecord(sql, projectId);
    if (record !== null) return firstRecordView(projectId, record);
    const receivedAt = (await findProject(kv, projectId))?.firstEventAt ?? null;
    return receivedAt && firstOtherView(receivedAt);
  } catch (error) {
    log.warn("cannot look for the first event", { project: projectId, error: String(error) });
    return null;
  }
}
