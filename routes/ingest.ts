import type { RouteConfig } from "fresh";
import { pyroscopePush } from "../lib/ingest/protocols/pyroscope.ts";
import { ingestRoute } from "../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/ingest{/}?" };

export const handler = ingestRoute({ POST: pyroscopePush });
