import { t } from "../core/language/translate.ts";
import { requireProject } from "../accounts/authorize.ts";
import type { Permission } from "../accounts/members.ts";
import type { ManageView } from "../errors/manage/frame.tsx";
import { requireIssue } from "../errors/load_issue_page.ts";
import type { IssueActor } from "../errors/workflow/state.ts";
import { HttpError } from "fresh";
import type { Asking } from "./form_handlers.ts";
import { loadShell } from "./shell.tsx";

/** What the pages about managing an issue show, and who asks. */
export interface Managing {
  readonly view: ManageView;
  readonly actor: IssueActor;
  /** Who asks, as people know them. */
  readonly by: string;
}

/**
 * Lets a request pass to the issue in its address.
 *
 * @throws {Denied} as `requireProject()`
 * @throws {HttpError} 404 when the project has no such issue, or it is part of another
 */
export async function requireManaged(ctx: Asking, permission: Permission): Promise<Managing> {
  const { project, role, userId } = await requireProject(ctx, permission);
  const [shell, issue] = await Promise.all([
    loadShell(ctx, project),
    requireIssue(ctx.state.services.sql, project.id, ctx.params.issue ?? ""),
  ]);
  if (issue.mergedInto !== null) {
    throw new HttpError(404, t("This issue was merged into another: open it there."));
  }
  const { actor } = ctx.state;
  return {
    view: { shell, project, role, issue },
    actor: { kind: "user", id: userId ?? "" },
    by: actor.kind === "user" ? actor.user.email : "",
  };
}
