import { t } from "@/lib/core/language/translate.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { changeDashboard } from "@/lib/dashboards/change_dashboard.ts";
import { withLayout } from "@/lib/dashboards/forms/read_form.ts";
import type { LayoutAnswer } from "@/lib/dashboards/live.ts";
import { define } from "@/lib/server/define.ts";
import { requireDashboard } from "@/lib/server/open_pages.ts";
import { readForm } from "@/lib/ui/form.ts";

/** Keeps where panels were dragged to: `version` and `layout`, a list of `{id, place}` in JSON. */
export const handler = define.handlers({
  async POST(ctx) {
    const access = await requireProject(ctx, "dashboard:write");
    const dashboard = await requireDashboard(ctx, access.project.id);
    const form = await readForm(ctx.req);
    const version = Number(form.get("version"));
    const change = () => ({ content: withLayout(dashboard.content, form.get("layout") ?? "") });
    const result = await changeDashboard(ctx.state.services, access, dashboard, version, change);
    if (result.kind === "saved") {
      return reply({ isSaved: true, version: result.version, sentence: t("Saved.") }, 200);
    }
    const { status, errors, conflict, dashboard: current } = result;
    const sentence = conflict === null
      ? Object.values(errors).join(" ")
      : `${conflict} ${t("Your layout is not saved.")}`;
    return reply({ isSaved: false, version: current.version, sentence }, status);
  },
});

function reply(answer: LayoutAnswer, status: number): Response {
  return Response.json(answer, { status });
}
