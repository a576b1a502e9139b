import type { RouteConfig } from "fresh";
import { otlpProfiles } from "../../lib/ingest/protocols/otlp.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/v1development/profiles{/}?" };

export const handler = ingestRoute({ POST: otlpProfiles });
