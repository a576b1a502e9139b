/** What was done with issues, in the shapes of Sentry's API. */
import { z } from "zod";
import { UserJson } from "../../api/people.ts";
import type { Issue } from "../issues.ts";
import type { ActivityEntry } from "../workflow/activity.ts";
import type { Names } from "./issue_facts.ts";

export const ActivityJson = z.object({
  id: z.string(),
  type: z.string().describe("As set_resolved, assigned, note"),
  user: UserJson.nullable().describe("Null: nobody did it"),
  data: z.looseObject({}),
  dateCreated: z.iso.datetime(),
  sentry_app: z.null(),
});

/** Entries with those who did it. */
export async function activityJson(
  entries: readonly ActivityEntry[],
  names: Names,
): Promise<z.input<typeof ActivityJson>[]> {
  return await Promise.all(entries.map(async ({ id, type, actor, data, createdAt }) => ({
    id,
    type,
    user: await names.actor(actor),
    data,
    dateCreated: createdAt.toISOString(),
    sentry_app: null,
  })));
}

/** What the feed of an issue ends with. */
export function firstSeenJson({ level, firstSeen }: Issue): z.input<typeof ActivityJson> {
  const priority = level === "warning"
    ? "medium"
    : level === "info" || level === "debug"
    ? "low"
    : "high";
  return {
    id: "0",
    type: "first_seen",
    user: null,
    data: { priority },
    dateCreated: firstSeen.toISOString(),
    sentry_app: null,
  };
}
