import { historyOf } from "./history.ts";
import type { ApiContext } from "../api/api.ts";
import { listReply } from "../api/api_page.ts";
import { transitionJson } from "./alert_json.ts";
import { requireAlert } from "./require_alert.ts";

const PAGE_SIZE = 100;

/** What happened to an alert, the latest first; `cursor` goes on. */
export async function historyReply(ctx: ApiContext): Promise<Response> {
  const { rule } = await requireAlert(ctx, "project:read");
  const page = await historyOf(ctx.state.services.sql, rule.projectId, rule.ruleId, {
    cursor: ctx.url.searchParams.get("cursor"),
    limit: PAGE_SIZE,
  });
  return listReply(ctx, page.rows.map(transitionJson), page);
}
