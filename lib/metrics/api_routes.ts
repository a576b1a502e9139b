import { requireProject } from "../api/access.ts";
import {
  labelListReply,
  labelValueListReply,
  metricListReply,
  metricQueriesReply,
  metricQueryReply,
} from "./api.ts";
import type { ApiRoutes } from "../api/route.ts";

/** What the addresses below `/api/0` do that are about metrics, by method. */
export const metricRoutes: ApiRoutes = {
  "/projects/:organization/:project/metrics": {
    GET: async (ctx) => metricListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/metrics/labels": {
    GET: async (ctx) => labelListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/metrics/labels/:key/values": {
    GET: async (ctx) => labelValueListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/metrics/query": {
    GET: async (ctx) => metricQueryReply(ctx, await requireProject(ctx, "project:read")),
    // It changes nothing: questions may be too long for an address.
    POST: async (ctx) => metricQueriesReply(ctx, await requireProject(ctx, "project:read")),
  },
};
