import { z } from "zod";
import { muteRule } from "./rules.ts";
import type { ApiContext } from "../api/api.ts";
import { readJson } from "../api/api_input.ts";
import { ALERT_WRITE } from "./pages/access.ts";
import { emailOf } from "./channels/require_channel.ts";
import { alertReply, requireAlert } from "./require_alert.ts";

const MINUTE_MS = 60_000;
const YEAR_MINUTES = 366 * 1_440;

const Mute = z.object({
  until: z.iso.datetime({ offset: true, error: "Write a time as 2026-11-30T18:00:00Z." }).nullish(),
  minutes: z.number({ error: "Write a number of minutes." }).positive({
    error: "Write a number of minutes.",
  }).max(YEAR_MINUTES, { error: "At most a year." }).nullish(),
});

/** Holds the notices of an alert back: `until` a time, for `minutes`, or no longer when the body has neither. */
export async function muteReply(ctx: ApiContext): Promise<Response> {
  const { rule } = await requireAlert(ctx, ALERT_WRITE);
  const { until, minutes } = await readJson(ctx.req, Mute);
  const end = until ? new Date(until) : minutes ? new Date(Date.now() + minutes * MINUTE_MS) : null;
  const { sql } = ctx.state.services;
  const by = emailOf(ctx.state.actor);
  return await alertReply(ctx, await muteRule(sql, rule.projectId, rule.ruleId, end, by));
}
