import type { OutcomeKind } from "../../telemetry/records.ts";

/** The ends that items come to, in the order of tables, with what each means. */
export const KIND_WORDS: readonly (readonly [kind: OutcomeKind, label: string, help: string])[] = [
  ["accepted", "Accepted", "Stored"],
  ["duplicate", "Duplicate", "Stored before: a client sent it again"],
  ["unsupported", "Unsupported", "Taken, but there is no place for such items"],
  ["sampled", "Sampled", "Dropped by the project's sample rate"],
  ["filtered", "Filtered", "Dropped by an inbound filter"],
  ["rate_limited", "Rate limited", "Requests over the limit of a second, answered with 429"],
  ["over_quota", "Over quota", "Requests over the quota of the month, answered with 429"],
  ["too_large", "Too large", "Requests and items over a size limit"],
  ["invalid", "Invalid", "Could not be read"],
  [
    "refused",
    "Refused",
    "Requests with a wrong key or from a wrong origin, and what no store took",
  ],
];

const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  attachment: "Attachments",
  default: "Other",
  error: "Errors",
  feedback: "Feedback",
  internal: "Client reports",
  log_item: "Logs",
  metric_bucket: "Metric buckets (old)",
  monitor: "Check-ins",
  profile: "Profiles",
  profile_chunk: "Profile chunks",
  replay: "Replays",
  security: "Security reports",
  session: "Sessions",
  span: "Spans",
  trace_metric: "Metrics",
  transaction: "Transactions",
  unknown: "Not known",
};

/** What a category is called; what only a client report names stands for itself. */
export function categoryWord(category: string): string {
  return Object.hasOwn(CATEGORY_WORDS, category) ? CATEGORY_WORDS[category] ?? category : category;
}

/** A reason code as words. */
export function reasonWord(reason: string): string {
  return reason === "" ? "–" : reason.replaceAll("_", " ");
}
