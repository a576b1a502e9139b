import type { RouteConfig } from "fresh";
import { sentrySecurity } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

/** The name that older browsers' policies have. */
export const config: RouteConfig = {
  routeOverride: "/api/:project/csp-report{/}?",
};

export const handler = ingestRoute({ POST: sentrySecurity });
