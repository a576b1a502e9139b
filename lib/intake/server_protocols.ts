/**
 * Addresses for servers only, whose payloads this version does not take yet: a key is checked and limits hold as
 * everywhere, so that the answer tells a wrong key from a missing feature.
 */
import type { Batch, Category } from "../telemetry/records.ts";
import { bearerKey } from "./bearer.ts";
import { refusedOtlp } from "./otlp/reply.ts";
import type { Protocol } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

export const otlpMetrics = serverOnly("otlp_metrics", "trace_metric", "OTLP metrics");

function serverOnly(name: string, category: Category, what: string): Protocol {
  return {
    name,
    category,
    keyTypes: ["server"],
    credentials: bearerKey,
    decode(): Batch {
      throw new Refusal(501, `This version of Watchpost does not take ${what}`, {
        kind: "unsupported",
        reason: name,
      });
    },
    reply: () => new Response(null, { status: 200 }),
    refuse: refusedOtlp,
  };
}
