import type { RouteConfig } from "fresh";
import { sentryPixel, sentryStore } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/:project/store{/}?" };

export const handler = ingestRoute({ POST: sentryStore, GET: sentryPixel });
