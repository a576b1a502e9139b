/** The frames of an event with the lines of code that they lead to. */
import type { Sql } from "../../store/database.ts";
import { releaseHeads } from "../../releases/mod.ts";
import type { Frame } from "../event/stack.ts";
import type { EventView } from "../event/view.ts";
import { listMappings } from "./mappings.ts";
import { type CodeRule, commitInName, sourceLink } from "./source_link.ts";

/**
 * Links each in-app frame of an event to its line in its repository, at the commit of the event's release where that is
 * known, else on the default branch.
 */
export async function withSourceLinks(
  sql: Sql,
  projectId: string,
  release: string,
  view: EventView,
): Promise<EventView> {
  const rules = await listMappings(sql, projectId);
  if (rules.length === 0) return view;
  const commitOf = await commitsOf(sql, projectId, release);
  const link = (frames: readonly Frame[]) => linked(frames, rules, commitOf);
  return {
    ...view,
    exceptions: view.exceptions.map((one) => ({ ...one, frames: link(one.frames) })),
    stack: link(view.stack),
    threads: view.threads.map((thread) => ({ ...thread, frames: link(thread.frames) })),
  };
}

/** The commit of a release in each repository; null where it is not known. */
export async function commitsOf(
  sql: Sql,
  projectId: string,
  release: string,
): Promise<(repository: string) => string | null> {
  const named = commitInName(release);
  const heads = release === "" ? null : await releaseHeads(sql, projectId, release);
  return (repository) => heads?.get(repository.toLowerCase()) ?? named;
}

function linked(
  frames: readonly Frame[],
  rules: readonly CodeRule[],
  commitOf: (repository: string) => string | null,
): Frame[] {
  return frames.map((frame) => {
    const found = frame.isInApp ? sourceLink(frame, rules, commitOf) : null;
    if (found === null) return frame;
    const { path, rule: { repository }, url } = found;
    return { ...frame, code: { url, label: `${repository}/${path}` } };
  });
}
