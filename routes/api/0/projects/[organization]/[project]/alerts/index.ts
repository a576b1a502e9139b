import type { RouteConfig } from "fresh";
import { pinMetrics } from "@/lib/alerts/pin_metrics.ts";
import { createRule, listRules } from "@/lib/alerts/rules.ts";
import { summariesOf } from "@/lib/alerts/states.ts";
import { ALERT_WRITE } from "@/lib/alerts/pages/access.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { requireProject } from "@/lib/api/access.ts";
import { alertJson } from "@/lib/alerts/alert_json.ts";
import { readAlert } from "@/lib/alerts/read_alert.ts";
import { alertReply, savingAlert } from "@/lib/alerts/require_alert.ts";
import { emailOf } from "@/lib/alerts/channels/require_channel.ts";
import { listReply } from "@/lib/api/api_page.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { sql } = ctx.state.services;
    const [rules, summaries] = await Promise.all([
      listRules(sql, project.id),
      summariesOf(sql, project.id),
    ]);
    return listReply(ctx, rules.map((rule) => alertJson(rule, summaries.get(rule.ruleId))));
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, ALERT_WRITE);
    const { sql } = ctx.state.services;
    const input = await pinMetrics(sql, project.id, await readAlert(ctx.req, null));
    const by = emailOf(ctx.state.actor);
    const rule = await savingAlert(() => createRule(sql, project.id, input, by));
    return await alertReply(ctx, rule, 201);
  },
});
