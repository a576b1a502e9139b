import type { Notice } from "../../lib/alerts/channels/message.ts";

/** A notice of a firing alert. */
export function notice(changes: Partial<Notice> = {}): Notice {
  return {
    projectId: "1",
    projectName: "Shop",
    state: "firing",
    severity: "critical",
    title: "p95 of GET /cart is 1.32 s",
    text: "It was above 1 s for 5 minutes.",
    url: "https://watchpost.example.com/projects/1/metrics/explore?a.metric=http.server.duration",
    ruleUrl: "https://watchpost.example.com/projects/1/alerts/7",
    ruleName: "Slow carts",
    facts: [{ label: "Value", value: "1.32 s" }, { label: "Limit", value: "1 s" }],
    incidentKey: "rule-7/",
    occurredAt: new Date("2026-11-22T01:00:00.000Z"),
    ...changes,
  };
}
