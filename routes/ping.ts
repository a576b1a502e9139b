import type { RouteConfig } from "fresh";
import { pingHandler } from "@/lib/server/ping_route.ts";

export const config: RouteConfig = { routeOverride: "/ping/:token{/:action}?{/}?" };

export const handler = pingHandler;
