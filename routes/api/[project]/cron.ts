import type { RouteConfig } from "fresh";
import { sentryCron } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/:project/cron/:slug{/:key}?{/}?" };

export const handler = ingestRoute({ POST: sentryCron, GET: sentryCron });
