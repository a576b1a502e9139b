import type { RouteConfig } from "fresh";
import { pinMetrics } from "@/lib/alerts/pin_metrics.ts";
import { deleteRule, updateRule } from "@/lib/alerts/rules.ts";
import { ALERT_WRITE } from "@/lib/alerts/pages/access.ts";
import { apiRoute } from "@/lib/api/api.ts";
import { readAlert } from "@/lib/alerts/read_alert.ts";
import {
  alertReply,
  requireAlert,
  savingAlert,
} from "@/lib/alerts/require_alert.ts";
import { emailOf } from "@/lib/alerts/channels/require_channel.ts";

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
