import type { RouteConfig } from "fresh";
import { sentryEnvelope } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

// SDKs post with a trailing slash, and Fresh matches dynamic paths exactly.
export const config: RouteConfig = { routeOverride: "/api/:project/envelope{/}?" };

export const handler = ingestRoute({ POST: sentryEnvelope });
