import { type Message, message, t } from "../core/language/translate.ts";
import { metricOverSeriesLimit } from "../formats/metrics/limits.ts";
import type { OutcomeKind } from "../records/mod.ts";

/** The ends that items come to, in the order of tables, with what each means. */
export const KIND_WORDS: readonly (readonly [kind: OutcomeKind, label: Message, help: Message])[] =
  [
    ["accepted", message("Accepted"), message("Stored")],
    ["duplicate", message("Duplicate@@outcome"), message("Stored before: a client sent it again")],
    ["unsupported", message("Unsupported"), message("Taken, but there is no place for such items")],
    ["sampled", message("Sampled"), message("Dropped by the project's sample rate")],
    ["filtered", message("Filtered"), message("Dropped by an inbound filter")],
    [
      "rate_limited",
      message("Rate limited"),
      message("Requests over the limit of a second, answered with 429"),
    ],
    [
      "over_quota",
      message("Over quota"),
      message("Requests over a quota of the month, answered with 429"),
    ],
    ["too_large", message("Too large"), message("Requests and items over a size limit")],
    ["invalid", message("Invalid"), message("Could not be read")],
    [
      "refused",
      message("Refused"),
      message(
        "Requests with a wrong key or from a wrong origin, what no store took, and metrics of too many series",
      ),
    ],
  ];

const CATEGORY_WORDS: Readonly<Record<string, Message>> = {
  attachment: message("Attachments"),
  default: message("Other"),
  error: message("Errors"),
  feedback: message("Feedback"),
  environment: message("Names of environments"),
  internal: message("Client reports"),
  log_item: message("Logs"),
  metric_bucket: message("Metric buckets (old)"),
  monitor: message("Check-ins"),
  profile: message("Profiles"),
  profile_chunk: message("Profile chunks"),
  release: message("Names of releases"),
  replay: message("Replays"),
  security: message("Security reports"),
  session: message("Sessions@@release health"),
  span: message("Spans"),
  tag_key: message("Tags"),
  trace_metric: message("Metrics"),
  transaction: message("Transactions"),
  unknown: message("Unopened or unknown"),
};

/** What a category is called; what only a client report names stands for itself. */
export function categoryWord(category: string): string {
  const known = Object.hasOwn(CATEGORY_WORDS, category) ? CATEGORY_WORDS[category] : undefined;
  return known === undefined ? category : t(known);
}

/** What an end is called. */
export function kindWord(kind: string): string {
  const known = KIND_WORDS.find(([each]) => each === kind);
  return known === undefined ? kind : t(known[1]);
}

/** What it means that items came to an end. */
export function kindHelp(kind: string): string {
  const known = KIND_WORDS.find(([each]) => each === kind);
  return known === undefined ? "" : t(known[2]);
}

/** Codes that do not speak for themselves. Those of refused requests have their words in the DSN doctor. */
const REASON_WORDS: Readonly<Record<string, Message>> = {
  address: message("IP address filter"),
  browser_extensions: message("Browser extension filter"),
  crawlers: message("Crawler filter"),
  discarded: message("Discarded group"),
  legacy_browsers: message("Legacy browser filter"),
  localhost: message("Local development filter"),
  message: message("Message filter"),
  release: message("Release filter"),
  attachment: message("Attachment too large"),
  event: message("Event too large"),
  transaction: message("Transaction too large"),
  session: message("Session too large"),
  sessions: message("Sessions too large"),
  feedback: message("Feedback too large"),
  broken_envelope: message("Broken end of an envelope"),
  object_store_unavailable: message("Object store away"),
  refused_by_store: message("Refused by Postgres"),
  deleted_unstored: message("Set aside and deleted"),
  sample_rate: message("Sample rate"),
  bad_id: message("Trace or span id that is none"),
  bad_time: message("Time out of what is kept"),
  empty_log: message("Log without a body"),
  same_span: message("Span twice in one request"),
  same_span_id: message("Span twice in one request"),
  too_many_elements: message("Too many in one request"),
  too_many_attributes: message("Too many attributes in one request"),
  too_many_environments: message("More than 500 environments: stored as (other environments)"),
  too_many_releases: message("More than 10,000 releases: stored as (other releases)"),
  too_many_tag_keys: message("More than 1,000 tag keys: kept in the event, not to be searched"),
  too_many_exceptions: message("Too many exceptions in one trace"),
  invalid_metric: message("Metric without a name, type or number"),
  no_name: message("Metric without a name"),
  name_too_long: message("Name of a metric too long"),
  too_many_labels: message("More than 64 labels"),
  label_too_long: message("Label too long"),
  labels_too_long: message("Labels too long together"),
  request_too_long: message("Labels of a request too long together"),
  no_time: message("Data point without a time"),
  too_old: message("Data point older than what is kept"),
  future: message("Data point of the future"),
  no_value: message("Data point without a value"),
  not_finite: message("NaN or infinite value"),
  negative_counter: message("Counter below zero"),
  no_temporality: message("Neither delta nor cumulative"),
  bad_count: message("Histogram with a bad count"),
  bad_bounds: message("Histogram with unsorted bounds"),
  too_many_buckets: message("Histogram of too many buckets"),
  counts_differ: message("Histogram whose counts do not add up"),
  bad_scale: message("Histogram of an impossible scale"),
  gauge_histogram: message("Gauge histogram"),
  unknown_item_type: message("Unknown item type"),
  before_send: message("before_send of the application"),
  queue_overflow: message("Queue of the SDK full"),
  cache_overflow: message("Offline cache of the SDK full"),
  buffer_overflow: message("Buffer of the SDK full"),
  ratelimit_backoff: message("SDK kept quiet after a 429"),
  network_error: message("Network error"),
  send_error: message("Watchpost refused it"),
  event_processor: message("Event processor of the application"),
};

/** A reason code as words; what nobody put into words, and what clients made up, speaks for itself. */
export function reasonWord(reason: string): string {
  const metric = metricOverSeriesLimit(reason);
  if (reason === "") return "–";
  if (metric !== null) return t("Too many series: {metric}", { metric });
  const known = Object.hasOwn(REASON_WORDS, reason) ? REASON_WORDS[reason] : undefined;
  return known === undefined ? adviceFor(reason).what : t(known);
}

/** Why requests are refused, in words, and what to do about it. */
interface Advice {
  readonly what: string;
  readonly todo: string;
}

type KnownAdvice = readonly [what: Message, todo: Message];

const ADVICE: Readonly<Record<string, KnownAdvice>> = {
  no_key: [
    message("No key"),
    message("Give the SDK the whole DSN. Behind a tunnel, the envelope's header needs the DSN."),
  ],
  unknown_key: [
    message("Unknown key"),
    message(
      "Copy the DSN again from this page: a character is missing, or it is another server's.",
    ),
  ],
  reissued_key: [
    message("Old key of a reissued DSN"),
    message("Deploy the new DSN to this application."),
  ],
  revoked_key: [
    message("Revoked key"),
    message("Give this application the DSN of another key, or remove the SDK from it."),
  ],
  deleted_project: [
    message("Key of a deleted project"),
    message("Restore the project in the organization's settings, or use another DSN."),
  ],
  disabled_key: [
    message("Disabled key"),
    message("Enable the key below if this application may send again."),
  ],
  two_keys: [
    message("Two different keys in one request"),
    message("A proxy or a tunnel adds a key of its own: let it pass the client's on."),
  ],
  project_mismatch: [
    message("Key of another project"),
    message("Key and project number in a DSN belong together: copy the DSN as a whole."),
  ],
  key_type: [
    message("Key of the wrong type"),
    message("OpenTelemetry, Prometheus and pprof need a server key."),
  ],
  origin: [
    message("Page that may not send"),
    message("Add its origin to the key's allowed origins, if it is yours."),
  ],
  bad_project_id: [
    message("No project number in the address"),
    message("The last part of a DSN is the project's number."),
  ],
  project_rate: [
    message("Over the project's rate limit"),
    message(
      "Raise the project's limit, sample on the client, or look for a loop that reports errors.",
    ),
  ],
  key_rate: [
    message("Over the key's rate limit"),
    message("Raise the limit of this key, or look for a loop that reports errors."),
  ],
  ping_rate: [
    message("One address for pings over its rate limit"),
    message("A job pings in a loop: let it report once when it begins and once when it ends."),
  ],
  monthly_quota: [
    message("Quota of the month used up"),
    message("An instance administrator can raise it; see Usage in the organization's settings."),
  ],
  monthly_bytes: [
    message("Data of the month used up"),
    message(
      "An instance administrator can raise it; see Usage in the organization's settings. Compressed requests take less of it.",
    ),
  ],
  request_body: [
    message("Request too large"),
    message(
      "Send less, compress it, or raise SERVICE_MAX_EVENT_BYTES on the server. For OpenTelemetry set OTEL_EXPORTER_OTLP_COMPRESSION=gzip and OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128. Of Sentry's SDKs, what came whole before the limit is stored.",
    ),
  ],
  decoded_body: [
    message("Request too large once decompressed"),
    message("Send smaller batches; of OpenTelemetry with OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128."),
  ],
  event: [message("Event too large"), message("Send less extra data, or shorter stack variables.")],
  transaction: [message("Transaction too large"), message("Send fewer spans, or stream them.")],
  slow_body: [
    message("Request too slow"),
    message("The connection is bad, or a proxy holds bodies back."),
  ],
  aborted_body: [
    message("Request broken off"),
    message(
      "The client went away while sending: often a closed page. Nothing to do if it is rare.",
    ),
  ],
  broken_encoding: [
    message("Body does not match its Content-Encoding"),
    message("A proxy unpacks or cuts bodies: let it pass them on untouched."),
  ],
  unsupported_encoding: [
    message("Unknown Content-Encoding"),
    message("Use gzip, deflate, br, zstd, snappy or none."),
  ],
  unreadable_envelope: [
    message("Not an envelope"),
    message("Check who sends this: it is not the form that Sentry SDKs use at this address."),
  ],
  invalid_json: [message("Not JSON"), message("Check who sends this: an SDK would send JSON.")],
  not_an_object: [message("Not an event"), message("The body has to be one JSON object.")],
  no_security_report: [
    message("Not a browser's report"),
    message("This address takes CSP, Expect-CT, Expect-Staple and key pinning reports."),
  ],
  no_nel_report: [
    message("Not a network error report"),
    message("This address takes NEL reports."),
  ],
  no_monitor_slug: [
    message("Check-in without a monitor"),
    message("Name the monitor in the address: /cron/<monitor>/<key>."),
  ],
  bad_check_in_id: [
    message("Check-in with an id that is none"),
    message("Write check_in_id as a UUID, or leave it out."),
  ],
  check_in_mismatch: [
    message("Check-in with the id of another job's run"),
    message("Make a new id for each run."),
  ],
  monitor_off: [
    message("Check-in of a cron job that is off"),
    message("Turn it on again, or stop the job from reporting."),
  ],
  monitor_rate: [
    message("More than six check-ins of one environment in a minute"),
    message("Report when a run begins and when it ends."),
  ],
  too_many_monitors: [
    message("More cron jobs or environments than there may be"),
    message("Give jobs names without ids or times, and delete those that are gone."),
  ],
  wrong_method: [message("Wrong HTTP method"), message("Send with POST.")],
  store_unavailable: [
    message("Watchpost could not store it"),
    message("A store was away; see the server's log and /readyz."),
  ],
  stopping: [
    message("Watchpost was stopping"),
    message("Nothing to do: SDKs send it again to the process that comes next."),
  ],
  wrong_clock: [
    message("Watchpost's clock is years behind"),
    message("Set the clock of the server; requests are taken again by themselves."),
  ],
  disk_full: [
    message("No room on Watchpost's disk"),
    message("Make room on the server's disk; requests are taken again by themselves."),
  ],
  invalid_protobuf: [
    message("Not the protobuf message of this address"),
    message(
      "Check that traces go to /v1/traces, logs to /v1/logs, metrics to /v1/metrics and Prometheus' remote write to /api/v1/write, and that Content-Type is right.",
    ),
  ],
  unsupported_content_type: [
    message("Neither protobuf nor JSON"),
    message("Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json; gRPC is not taken."),
  ],
  grpc: [
    message("OpenTelemetry over gRPC"),
    message(
      "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and the endpoint to this server's address; a Collector passes gRPC on with its otlphttp exporter.",
    ),
  ],
  too_many_items: [
    message("Too many spans, logs or data points in one request"),
    message("Send smaller batches."),
  ],
  too_many_samples: [
    message("Too much in one profile"),
    message("Profile for a shorter time, or fewer threads."),
  ],
  too_many_stacks: [
    message("Too much in one profile"),
    message("Profile for a shorter time, or fewer threads."),
  ],
  too_many_frames: [
    message("Too much in one profile"),
    message("Profile for a shorter time, or fewer threads."),
  ],
  too_many_parts: [message("Too many parts in one request"), message("Send smaller batches.")],
  invalid_profile: [
    message("Not a profile"),
    message("Send pprof, compressed or not; of Go's addresses without debug=1."),
  ],
  profile_size: [message("Profile too large"), message("Profile for a shorter time.")],
  profile_format: [
    message("Profile in another format"),
    message("Let the agent send pprof, or collapsed stacks (folded, lines)."),
  ],
  jfr: [
    message("Recording of Java Flight Recorder (JFR)"),
    message(
      "Pyroscope's Java agent sends nothing else. Let async-profiler write collapsed stacks for /ingest, or make pprof of recordings with its jfrconv -o pprof, for /api/v1/profiles/pprof.",
    ),
  ],
  bad_parameter: [
    message("A parameter of the address is wrong"),
    message("The response that the client got names it."),
  ],
};

/** What to tell about a reason code; codes without words of their own speak for themselves. */
export function adviceFor(reason: string): Advice {
  const known = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  return known === undefined
    ? { what: reason.replaceAll("_", " "), todo: t("See the response that the client got.") }
    : { what: t(known[0]), todo: t(known[1]) };
}
