import { requireProject } from "../api/access.ts";
import {
  endpointListReply,
  traceListReply,
  transactionListReply,
  vitalListReply,
} from "./api_lists.ts";
import { traceReply } from "./api_trace.ts";
import { transactionSummaryReply } from "./api_transaction_summary.ts";
import type { ApiRoutes } from "../api/route.ts";

/** What the addresses below `/api/0` do that are about traces, by method. */
export const traceRoutes: ApiRoutes = {
  "/projects/:organization/:project/endpoints": {
    GET: async (ctx) => endpointListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/traces": {
    GET: async (ctx) => traceListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/traces/:trace": {
    GET: async (ctx) => traceReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/transactions": {
    GET: async (ctx) => transactionListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/transactions/summary": {
    GET: async (ctx) => transactionSummaryReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/web-vitals": {
    GET: async (ctx) => vitalListReply(ctx, await requireProject(ctx, "project:read")),
  },
};
