import { type Dashboard, DashboardChanged, saveDashboard } from "@/lib/dashboards/dashboards.ts";
import { withLayout } from "@/lib/dashboards/forms/read_form.ts";
import type { LayoutAnswer } from "@/lib/dashboards/live.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { conflictSentence, requireDashboard } from "@/lib/server/open_pages.ts";

/** Keeps where panels were dragged to: `version` and `layout`, a list of `{id, place}` in JSON. */
export const handler = define.handlers({
  async POST(ctx) {
    const { project, userId } = await requireProject(ctx, "dashboard:write");
    const { sql, kv } = ctx.state.services;
    const dashboard = await requireDashboard(ctx, project.id);
    const form = await readForm(ctx.req);
    const changed = await attempt(() =>
      Promise.resolve(withLayout(dashboard.content, form.get("layout") ?? ""))
    );
    if (!changed.ok) {
      const sentence = Object.values(changed.errors).join(" ");
      return reply({ isSaved: false, version: dashboard.version, sentence }, 422);
    }
    try {
      const version = Number(form.get("version"));
      if (version !== dashboard.version) throw new DashboardChanged(dashboard);
      const { dashboardId, name } = dashboard;
      const content = changed.value;
      const saved = await saveDashboard(
        sql,
        project.id,
        dashboardId,
        version,
        { name, content },
        userId,
      );
      return reply({ isSaved: true, version: saved?.version ?? version, sentence: "Saved." }, 200);
    } catch (error) {
      if (!(error instanceof DashboardChanged)) throw error;
      return reply(await refusal(kv, error.current), 409);
    }
  },
});

async function refusal(kv: Deno.Kv, current: Dashboard): Promise<LayoutAnswer> {
  const who = await conflictSentence(kv, current);
  return { isSaved: false, version: current.version, sentence: `${who} Your layout is not saved.` };
}

function reply(answer: LayoutAnswer, status: number): Response {
  return Response.json(answer, { status });
}
