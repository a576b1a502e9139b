import type { RouteConfig } from "fresh";
import { sentryPixel, sentryStore } from "../../lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

/** Without a project: the oldest clients leave it to their key. */
export const config: RouteConfig = { routeOverride: "/api/store{/}?" };

export const handler = ingestRoute({ POST: sentryStore, GET: sentryPixel });
