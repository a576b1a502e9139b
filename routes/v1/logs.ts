import type { RouteConfig } from "fresh";
import { otlpLogs } from "../../lib/ingest/protocols/otlp.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/v1/logs{/}?" };

export const handler = ingestRoute({ POST: otlpLogs });
