import type { RouteConfig } from "fresh";
import { pyroscopeConnect } from "../../lib/ingest/protocols/pyroscope.ts";
import { ingestRoute } from "../../lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/push.v1.PusherService/Push" };

export const handler = ingestRoute({ POST: pyroscopeConnect });
