import type { RouteConfig } from "fresh";
import { pprof } from "@/lib/ingest/protocols/pprof.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/v1/profiles/pprof{/}?" };

export const handler = ingestRoute({ POST: pprof });
