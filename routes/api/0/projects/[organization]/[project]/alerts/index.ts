import { emailOf } from "@/lib/accounts/authorize.ts";
import type { RouteConfig } from "fresh";
import { createRule, listRules, pinMetrics } from "@/lib/alerts/rules.ts";
import { summariesOf } from "@/lib/alerts/states.ts";
import { ALERT_WRITE } from "@/lib/alerts/pages/actions.ts";
import { apiRoute, listReply } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { alertJson, alertReply, readAlert, savingAlert } from "@/lib/alerts/api.ts";

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
