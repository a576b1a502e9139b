import type { RouteConfig } from "fresh";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

export const config: RouteConfig = { routeOverride: "/api/v1/write{/}?" };

export const handler = ingestRoute({ POST: prometheusWrite });
