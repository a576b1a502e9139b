import { managePath } from "@/lib/errors/manage/frame.tsx";
import { SharePage, type ShareView } from "@/lib/errors/manage/share_page.tsx";
import {
  DEFAULT_SHARE_DAYS,
  MAX_SHARES,
  revokeShare,
  SHARE_DAYS,
  shareIssue,
  sharesOf,
} from "@/lib/errors/manage/shares.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireManaged } from "@/lib/server/manage_issue.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Links by which people without an account see an issue. */
export default define.page<typeof handler>(({ data }) => <SharePage {...data} />);

export const handler = formHandlers<ShareView>(
  async (ctx) => {
    const { view } = await requireManaged(ctx, "project:read");
    const { sql, config } = ctx.state.services;
    ctx.state.meta.title = `${t("Share")} · ${view.project.name}`;
    const shares = await sharesOf(sql, view.project.id, view.issue.id);
    return { ...view, shares, baseUrl: config.baseUrl, error: null };
  },
  async (ctx) => {
    const { view: { project, issue }, by } = await requireManaged(ctx, "issue:write");
    const { sql } = ctx.state.services;
    const form = await readForm(ctx.req);
    const here = managePath(project.id, issue.id, "share");
    const place = { projectId: project.id, issueId: issue.id };
    if (fieldOf(form, "action") === "revoke") {
      return await revokeShare(sql, project.id, issue.id, fieldOf(form, "share"))
        ? redirectWithFlash(here, t("The link leads nowhere any more."))
        : redirectWithFlash(here, t("This link had ended already."), "warning");
    }
    const days = SHARE_DAYS.find((each) => String(each) === fieldOf(form, "days")) ??
      DEFAULT_SHARE_DAYS;
    const made = await shareIssue(sql, { ...place, by, days, withSource: form.has("withSource") });
    return made === null
      ? {
        changes: {
          error: t(
            "{n} link is the most: revoke one first.|{n} links are the most: revoke one first.",
            {
              n: MAX_SHARES,
            },
          ),
        },
      }
      : redirectWithFlash(here, t("Whoever has the link below sees the issue now."));
  },
);
