import type { RouteConfig } from "fresh";
import { sentryCrash } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/:project/unreal/:key{/}?" };

export const handler = ingestRoute({ POST: sentryCrash });
