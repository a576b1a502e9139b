import { InvalidInput } from "@/lib/core/errors.ts";
import { mergedInto } from "@/lib/errors/issue_merge.ts";
import { managePath } from "@/lib/errors/manage/frame.tsx";
import { GroupsPage, type GroupsView } from "@/lib/errors/manage/groups_page.tsx";
import { groupsOf, letSplitsFollow, splitIssue } from "@/lib/errors/manage/split.ts";
import { takeBack } from "@/lib/errors/manage/take_back.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { type Managing, requireManaged } from "@/lib/server/manage_issue.ts";
import type { Services } from "@/lib/server/services.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, localPath, readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

/** The groups of events of an issue, and splitting it. */
export default define.page<typeof handler>(({ data }) => <GroupsPage {...data} />);

export const handler = formHandlers<GroupsView>(
  async (ctx) => {
    const { view } = await requireManaged(ctx, "project:read");
    const { project, issue } = view;
    const { sql } = ctx.state.services;
    ctx.state.meta.title = `${t("Groups")} · ${project.name}`;
    const [groups, merged] = await Promise.all([
      groupsOf(sql, project.id, issue.id),
      mergedInto(sql, project.id, issue.id),
    ]);
    return { ...view, groups, merged, error: null };
  },
  async (ctx) => {
    const managing = await requireManaged(ctx, "issue:write");
    const form = await readForm(ctx.req);
    try {
      return fieldOf(form, "action") === "undo"
        ? await undo(ctx.state.services, managing, form)
        : await split(ctx.state.services, managing, form);
    } catch (error) {
      if (error instanceof InvalidInput) return { changes: { error: error.message } };
      throw error;
    }
  },
);

async function split(
  services: Services,
  { view: { project, issue }, actor }: Managing,
  form: URLSearchParams,
): Promise<Response> {
  const made = await splitIssue(services.sql, project.id, issue.id, form.getAll("hash"), actor);
  await letSplitsFollow(services, project.id);
  return redirectWithFlash(
    managePath(project.id, made.issueId, "groups"),
    made.isNew
      ? t("The groups are an issue of their own.")
      : t("The merged issue is its own again."),
    "ok",
    { action: managePath(project.id, issue.id, "groups"), id: made.undo ?? "0" },
  );
}

async function undo(
  services: Services,
  { view: { project, issue }, actor }: Managing,
  form: URLSearchParams,
): Promise<Response> {
  const isDone = await takeBack(services, project.id, fieldOf(form, "undo"), actor);
  const here = managePath(project.id, issue.id, "groups");
  return isDone ? redirectWithFlash(here, t("Taken back.")) : redirectWithFlash(
    localPath(form.get("back"), here),
    t("This cannot be taken back any more."),
    "warning",
  );
}
