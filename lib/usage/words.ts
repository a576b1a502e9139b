import { metricOverSeriesLimit } from "../formats/metrics/faults.ts";
import { adviceFor } from "./advice.ts";
import type { OutcomeKind } from "../records/mod.ts";

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
    "Requests with a wrong key or from a wrong origin, what no store took, and metrics of too many series",
  ],
];

const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  attachment: "Attachments",
  default: "Other",
  error: "Errors",
  feedback: "Feedback",
  environment: "Names of environments",
  internal: "Client reports",
  log_item: "Logs",
  metric_bucket: "Metric buckets (old)",
  monitor: "Check-ins",
  profile: "Profiles",
  profile_chunk: "Profile chunks",
  release: "Names of releases",
  replay: "Replays",
  security: "Security reports",
  session: "Sessions",
  span: "Spans",
  tag_key: "Tags",
  trace_metric: "Metrics",
  transaction: "Transactions",
  unknown: "Unopened or unknown",
};

/** What a category is called; what only a client report names stands for itself. */
export function categoryWord(category: string): string {
  return Object.hasOwn(CATEGORY_WORDS, category) ? CATEGORY_WORDS[category] ?? category : category;
}

/** What an end is called. */
export function kindWord(kind: string): string {
  return KIND_WORDS.find(([each]) => each === kind)?.[1] ?? kind;
}

/** What it means that items came to an end. */
export function kindHelp(kind: string): string {
  return KIND_WORDS.find(([each]) => each === kind)?.[2] ?? "";
}

/** Codes that do not speak for themselves. Those of refused requests have their words in the DSN doctor. */
const REASON_WORDS: Readonly<Record<string, string>> = {
  "": "–",
  address: "IP address filter",
  browser_extensions: "Browser extension filter",
  crawlers: "Crawler filter",
  legacy_browsers: "Legacy browser filter",
  localhost: "Local development filter",
  message: "Message filter",
  release: "Release filter",
  attachment: "Attachment too large",
  event: "Event too large",
  transaction: "Transaction too large",
  session: "Session too large",
  sessions: "Sessions too large",
  feedback: "Feedback too large",
  broken_envelope: "Broken end of an envelope",
  object_store_unavailable: "Object store away",
  refused_by_store: "Refused by Postgres",
  sample_rate: "Sample rate",
  bad_id: "Trace or span id that is none",
  bad_time: "Time out of what is kept",
  empty_log: "Log without a body",
  same_span: "Span twice in one request",
  same_span_id: "Span twice in one request",
  too_many_elements: "Too many in one request",
  too_many_attributes: "Too many attributes in one request",
  too_many_environments: "More than 500 environments: stored as (other environments)",
  too_many_releases: "More than 10,000 releases: stored as (other releases)",
  too_many_tag_keys: "More than 1,000 tag keys: kept in the event, not to be searched",
  too_many_exceptions: "Too many exceptions in one trace",
  invalid_metric: "Metric without a name, type or number",
  no_name: "Metric without a name",
  name_too_long: "Name of a metric too long",
  too_many_labels: "More than 64 labels",
  label_too_long: "Label too long",
  labels_too_long: "Labels too long together",
  request_too_long: "Labels of a request too long together",
  no_time: "Data point without a time",
  too_old: "Data point older than what is kept",
  future: "Data point of the future",
  no_value: "Data point without a value",
  not_finite: "NaN or infinite value",
  negative_counter: "Counter below zero",
  no_temporality: "Neither delta nor cumulative",
  bad_count: "Histogram with a bad count",
  bad_bounds: "Histogram with unsorted bounds",
  too_many_buckets: "Histogram of too many buckets",
  counts_differ: "Histogram whose counts do not add up",
  bad_scale: "Histogram of an impossible scale",
  gauge_histogram: "Gauge histogram",
  unknown_item_type: "Item type that nobody knows",
  before_send: "before_send of the application",
  queue_overflow: "Queue of the SDK full",
  cache_overflow: "Offline cache of the SDK full",
  buffer_overflow: "Buffer of the SDK full",
  ratelimit_backoff: "SDK kept quiet after a 429",
  network_error: "Network error",
  send_error: "Watchpost refused it",
  event_processor: "Event processor of the application",
};

/** A reason code as words; what nobody put into words, and what clients made up, speaks for itself. */
export function reasonWord(reason: string): string {
  const metric = metricOverSeriesLimit(reason);
  if (metric !== null) return `Too many series: ${metric}`;
  const known = Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason] : undefined;
  return known ?? adviceFor(reason).what;
}
