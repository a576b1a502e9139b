import { emailOf } from "@/lib/accounts/authorize.ts";
import type { RouteConfig } from "fresh";
import { deleteRule, pinMetrics, updateRule } from "@/lib/alerts/rules.ts";
import { ALERT_WRITE } from "@/lib/alerts/pages/actions.ts";
import { apiRoute } from "@/lib/api/route.ts";
import { alertReply, readAlert, requireAlert, savingAlert } from "@/lib/alerts/api.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/alerts/:alert{/}?",
};

export const handler = apiRoute({
  async GET(ctx) {
    const { rule } = await requireAlert(ctx, "project:read");
    return await alertReply(ctx, rule);
  },

  async PUT(ctx) {
    const { rule } = await requireAlert(ctx, ALERT_WRITE);
    const { sql } = ctx.state.services;
    const input = await pinMetrics(sql, rule.projectId, await readAlert(ctx.req, rule));
    const by = emailOf(ctx.state.actor);
    const changed = await savingAlert(() =>
      updateRule(sql, rule.projectId, rule.ruleId, input, by)
    );
    return await alertReply(ctx, changed);
  },

  async DELETE(ctx) {
    const { rule } = await requireAlert(ctx, ALERT_WRITE);
    await deleteRule(ctx.state.services.sql, rule.projectId, rule.ruleId);
    return new Response(null, { status: 204 });
  },
});
