import { define } from "../lib/server/define.ts";
import { answerMetrics } from "../lib/server/own_health/metrics_route.ts";

/** What Watchpost counts about itself, for Prometheus. */
export const handler = define.handlers({
  GET: ({ req, state }) => answerMetrics(req, state.services),
});
