import type { Services } from "../../services.ts";
import { firstEvent } from "../../telemetry/occurrences.ts";
import { type FirstEventView, firstEventView } from "./first_event.ts";

/** The first event of a project, or null: there is none yet, or the database does not answer just now. */
export async function lookForFirstEvent(
  { sql, log }: Pick<Services, "sql" | "log">,
  projectId: string,
): Promise<FirstEventView | null> {
  try {
    const event = await firstEvent(sql, projectId);
    return event && firstEventView(projectId, event);
  } catch (error) {
    log.warn("cannot look for the first event", { project: projectId, error: String(error) });
    return null;
  }
}
