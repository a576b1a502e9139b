/** Issues here follow what was done with them in a tracker. */
import type { Backend } from "../../store/stores.ts";
import { changeIssues } from "../workflow/change.ts";
import type { Connection } from "./connections.ts";

/** Resolves issues, or opens them again, because somebody did so in a tracker. @returns how many changed */
export async function settleIssues(
  backend: Backend,
  { projectId, connectionId }: Connection,
  issueIds: readonly string[],
  to: "resolved" | "unresolved",
): Promise<number> {
  const actor = { kind: "rule", id: `tracker:${connectionId}` } as const;
  return (await changeIssues(backend, projectId, issueIds, { status: { to } }, actor)).changed
    .length;
}
