import type { RouteConfig } from "fresh";
import { sentryNel } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/:project/nel{/}?" };

export const handler = ingestRoute({ POST: sentryNel });
