import { metricOverSeriesLimit } from "../formats/metrics/limits.ts";
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
  discarded: "Discarded group",
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

/** Why requests are refused, in words, and what to do about it. */
interface Advice {
  readonly what: string;
  readonly todo: string;
}

/** Codes with what each means, and below it what to do. */
const ADVICE = readAdvice(`
no_key: No key
  Give the SDK the whole DSN. Behind a tunnel, the envelope's header needs the DSN.
unknown_key: Unknown key
  Copy the DSN again from this page: a character is missing, or it is another server's.
reissued_key: Old key of a reissued DSN
  Deploy the new DSN to this application.
revoked_key: Revoked key
  Give this application the DSN of another key, or remove the SDK from it.
deleted_project: Key of a deleted project
  Restore the project in the organization's settings, or use another DSN.
disabled_key: Disabled key
  Enable the key below if this application may send again.
two_keys: Two different keys in one request
  A proxy or a tunnel adds a key of its own: let it pass the client's on.
project_mismatch: Key of another project
  Key and project number in a DSN belong together: copy the DSN as a whole.
key_type: Key of the wrong type
  OpenTelemetry, Prometheus and pprof need a server key.
origin: Page that may not send
  Add its origin to the key's allowed origins, if it is yours.
bad_project_id: No project number in the address
  The last part of a DSN is the project's number.
project_rate: Over the project's rate limit
  Raise the project's limit, sample on the client, or look for a loop that reports errors.
key_rate: Over the key's rate limit
  Raise the limit of this key, or look for a loop that reports errors.
ping_rate: One address for pings over its rate limit
  A job pings in a loop: let it report once when it begins and once when it ends.
monthly_quota: Quota of the month used up
  An instance administrator can raise it; see Usage in the organization's settings.
request_body: Request too large
  Send less, compress it, or raise SERVICE_MAX_EVENT_BYTES on the server. For OpenTelemetry set OTEL_EXPORTER_OTLP_COMPRESSION=gzip and OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128. Of Sentry's SDKs, what came whole before the limit is stored.
decoded_body: Request too large once decompressed
  Send smaller batches; of OpenTelemetry with OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128.
event: Event too large
  Send less extra data, or shorter stack variables.
transaction: Transaction too large
  Send fewer spans, or stream them.
slow_body: Request too slow
  The connection is bad, or a proxy holds bodies back.
aborted_body: Request broken off
  The client went away while sending: often a closed page. Nothing to do if it is rare.
broken_encoding: Body does not match its Content-Encoding
  A proxy unpacks or cuts bodies: let it pass them on untouched.
unsupported_encoding: Unknown Content-Encoding
  Use gzip, deflate, br, zstd, snappy or none.
unreadable_envelope: Not an envelope
  Check who sends this: it is not the form that Sentry SDKs use at this address.
invalid_json: Not JSON
  Check who sends this: an SDK would send JSON.
not_an_object: Not an event
  The body has to be one JSON object.
no_security_report: Not a browser's report
  This address takes CSP, Expect-CT, Expect-Staple and key pinning reports.
no_nel_report: Not a network error report
  This address takes NEL reports.
no_monitor_slug: Check-in without a monitor
  Name the monitor in the address: /cron/<monitor>/<key>.
bad_check_in_id: Check-in with an id that is none
  Write check_in_id as a UUID, or leave it out.
check_in_mismatch: Check-in with the id of another job's run
  Make a new id for each run.
monitor_off: Check-in of a cron job that is off
  Turn it on again, or stop the job from reporting.
monitor_rate: More than six check-ins of one environment in a minute
  Report when a run begins and when it ends.
too_many_monitors: More cron jobs or environments than there may be
  Give jobs names without ids or times, and delete those that are gone.
wrong_method: Wrong HTTP method
  Send with POST.
store_unavailable: Watchpost could not store it
  A store was away; see the server's log and /readyz.
stopping: Watchpost was stopping
  Nothing to do: SDKs send it again to the process that comes next.
wrong_clock: Watchpost's clock is years behind
  Set the clock of the server; requests are taken again by themselves.
disk_full: No room on Watchpost's disk
  Make room on the server's disk; requests are taken again by themselves.
invalid_protobuf: Not the protobuf message of this address
  Check that traces go to /v1/traces, logs to /v1/logs, metrics to /v1/metrics and Prometheus' remote write to /api/v1/write, and that Content-Type is right.
unsupported_content_type: Neither protobuf nor JSON
  Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json; gRPC is not taken.
grpc: OpenTelemetry over gRPC
  Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and the endpoint to this server's address; a Collector passes gRPC on with its otlphttp exporter.
too_many_items: Too many spans, logs or data points in one request
  Send smaller batches.
too_many_samples, too_many_stacks, too_many_frames: Too much in one profile
  Profile for a shorter time, or fewer threads.
too_many_parts: Too many parts in one request
  Send smaller batches.
invalid_profile: Not a profile
  Send pprof, compressed or not; of Go's addresses without debug=1.
profile_size: Profile too large
  Profile for a shorter time.
profile_format: Profile in another format
  Let the agent send pprof, or collapsed stacks (folded, lines).
jfr: Recording of Java Flight Recorder (JFR)
  Pyroscope's Java agent sends nothing else. Let async-profiler write collapsed stacks for /ingest, or make pprof of recordings with its jfrconv -o pprof, for /api/v1/profiles/pprof.
bad_parameter: A parameter of the address is wrong
  The answer that the client got names it.
`);

function readAdvice(text: string): ReadonlyMap<string, Advice> {
  const rows = text.matchAll(/^(\w[\w, ]*): (.+)\n {2}(.+)$/gm);
  return new Map(
    Array.from(rows).flatMap(([, codes = "", what = "", todo = ""]) =>
      codes.split(", ").map((code) => [code, { what, todo }] as const)
    ),
  );
}

/** What to tell about a reason code; codes without words of their own speak for themselves. */
export function adviceFor(reason: string): Advice {
  return ADVICE.get(reason) ??
    { what: reason.replaceAll("_", " "), todo: "See the answer that the client got." };
}
