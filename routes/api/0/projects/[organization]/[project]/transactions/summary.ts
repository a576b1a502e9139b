import type { RouteConfig } from "fresh";
import { apiRoute } from "@/lib/api/route.ts";
import { requireProject } from "@/lib/api/access.ts";
import { transactionSummaryReply } from "@/lib/traces/api_transaction_summary.ts";

export const config: RouteConfig = {
  routeOverride: "/api/0/projects/:organization/:project/transactions/summary{/}?",
};

export const handler = apiRoute({
  GET: async (ctx) => transactionSummaryReply(ctx, await requireProject(ctx, "project:read")),
});
