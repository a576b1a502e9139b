import type { RouteConfig } from "fresh";
import { otlpMetrics } from "../../lib/ingest/protocols/otlp.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/v1/metrics{/}?" };

export const handler = ingestRoute({ POST: otlpMetrics });
