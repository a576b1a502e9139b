import type { RouteConfig } from "fresh";
import { sentrySecurity } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = {
  routeOverride: "/api/:project/security{/}?",
};

export const handler = ingestRoute({ POST: sentrySecurity });
