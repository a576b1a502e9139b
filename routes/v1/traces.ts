import type { RouteConfig } from "fresh";
import { otlpTraces } from "../../lib/ingest/protocols/otlp.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/v1/traces{/}?" };

export const handler = ingestRoute({ POST: otlpTraces });
