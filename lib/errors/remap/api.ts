import type { ApiContext } from "../../api/route.ts";
import type { IssueAccess } from "../api/issue_access.ts";
import { newestEvents } from "./remap_events.ts";
import { openMissingMaps } from "../../sourcemaps/mod.ts";

/** Has the newest events of an issue mapped again: the job that does it looks every few seconds. */
export async function mapAgainReply(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { sql } = ctx.state.services;
  const eventIds = await newestEvents(sql, access.project.id, issue.id);
  await openMissingMaps(sql).later(access.project.id, eventIds);
  return { events: eventIds.length };
}
