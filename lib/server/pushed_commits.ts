/** What becomes of commits that a tracker's webhook tells of. */
import type { RecordCommits } from "../errors/links/hooks.ts";
import { noteReferences } from "../errors/links/commits.ts";

/** Notes the issues that commits speak of. */
export const recordCommits: RecordCommits = async ({ sql }, project, commits) => {
  await noteReferences(sql, project, commits);
};
