import type { RouteConfig } from "fresh";
import { Refusal } from "@/lib/core/refusal.ts";
import { preflight, refused } from "@/lib/ingest/protocols/sentry_reply.ts";
import { define } from "@/lib/server/define.ts";

/** Whatever is not an address of ours: SDKs in browsers may read that, too. */
export const config: RouteConfig = { routeOverride: "/api/:project/:rest*{/}?" };

export const handler = define.handlers(({ req }) => {
  if (req.method === "OPTIONS") return preflight();
  const outcome = { kind: "refused", reason: "unknown_address" } as const;
  return refused(new Refusal(404, "There is nothing at this address", outcome));
});
