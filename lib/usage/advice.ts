/** Why requests are refused, in words, and what to do about it. */
export interface Advice {
  readonly what: string;
  readonly todo: string;
}

const TOO_LONG_PROFILE: Advice = {
  what: "Too much in one profile",
  todo: "Profile for a shorter time, or fewer threads.",
};

const ADVICE: Readonly<Record<string, Advice>> = {
  no_key: {
    what: "No key",
    todo: "Give the SDK the whole DSN. Behind a tunnel, the envelope's header needs the DSN.",
  },
  unknown_key: {
    what: "Unknown key",
    todo: "Copy the DSN again from this page: a character is missing, or it is another server's.",
  },
  reissued_key: {
    what: "Old key of a reissued DSN",
    todo: "Deploy the new DSN to this application.",
  },
  revoked_key: {
    what: "Revoked key",
    todo: "Give this application the DSN of another key, or remove the SDK from it.",
  },
  deleted_project: {
    what: "Key of a deleted project",
    todo: "Restore the project in the organization's settings, or use another DSN.",
  },
  disabled_key: {
    what: "Disabled key",
    todo: "Enable the key below if this application may send again.",
  },
  two_keys: {
    what: "Two different keys in one request",
    todo: "A proxy or a tunnel adds a key of its own: let it pass the client's on.",
  },
  project_mismatch: {
    what: "Key of another project",
    todo: "Key and project number in a DSN belong together: copy the DSN as a whole.",
  },
  key_type: {
    what: "Key of the wrong type",
    todo: "OpenTelemetry, Prometheus and pprof need a server key.",
  },
  origin: {
    what: "Page that may not send",
    todo: "Add its origin to the key's allowed origins, if it is yours.",
  },
  bad_project_id: {
    what: "No project number in the address",
    todo: "The last part of a DSN is the project's number.",
  },
  project_rate: {
    what: "Over the project's rate limit",
    todo:
      "Raise the project's limit, sample on the client, or look for a loop that reports errors.",
  },
  key_rate: {
    what: "Over the key's rate limit",
    todo: "Raise the limit of this key, or look for a loop that reports errors.",
  },
  monthly_quota: {
    what: "Quota of the month used up",
    todo: "An instance administrator can raise it; see Usage in the organization's settings.",
  },
  request_body: {
    what: "Request too large",
    todo:
      "Send less, compress it, or raise SERVICE_MAX_EVENT_BYTES on the server. For OpenTelemetry set OTEL_EXPORTER_OTLP_COMPRESSION=gzip and OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128. Of Sentry's SDKs, what came whole before the limit is stored.",
  },
  decoded_body: {
    what: "Request too large once decompressed",
    todo: "Send smaller batches; of OpenTelemetry with OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128.",
  },
  event: { what: "Event too large", todo: "Send less extra data, or shorter stack variables." },
  transaction: { what: "Transaction too large", todo: "Send fewer spans, or stream them." },
  slow_body: {
    what: "Request too slow",
    todo: "The connection is bad, or a proxy holds bodies back.",
  },
  aborted_body: {
    what: "Request broken off",
    todo: "The client went away while sending: often a closed page. Nothing to do if it is rare.",
  },
  broken_encoding: {
    what: "Body does not match its Content-Encoding",
    todo: "A proxy unpacks or cuts bodies: let it pass them on untouched.",
  },
  unsupported_encoding: {
    what: "Unknown Content-Encoding",
    todo: "Use gzip, deflate, br, zstd, snappy or none.",
  },
  unreadable_envelope: {
    what: "Not an envelope",
    todo: "Check who sends this: it is not the form that Sentry SDKs use at this address.",
  },
  invalid_json: { what: "Not JSON", todo: "Check who sends this: an SDK would send JSON." },
  not_an_object: { what: "Not an event", todo: "The body has to be one JSON object." },
  no_security_report: {
    what: "Not a browser's report",
    todo: "This address takes CSP, Expect-CT, Expect-Staple and key pinning reports.",
  },
  no_nel_report: { what: "Not a network error report", todo: "This address takes NEL reports." },
  no_monitor_slug: {
    what: "Check-in without a monitor",
    todo: "Name the monitor in the address: /cron/<monitor>/<key>.",
  },
  wrong_method: { what: "Wrong HTTP method", todo: "Send with POST." },
  store_unavailable: {
    what: "Watchpost could not store it",
    todo: "A store was away; see the server's log and /readyz.",
  },
  stopping: {
    what: "Watchpost was stopping",
    todo: "Nothing to do: SDKs send it again to the process that comes next.",
  },
  wrong_clock: {
    what: "Watchpost's clock is years behind",
    todo: "Set the clock of the server; requests are taken again by themselves.",
  },
  disk_full: {
    what: "No room on Watchpost's disk",
    todo: "Make room on the server's disk; requests are taken again by themselves.",
  },
  invalid_protobuf: {
    what: "Not the protobuf message of this address",
    todo:
      "Check that traces go to /v1/traces, logs to /v1/logs, metrics to /v1/metrics and Prometheus' remote write to /api/v1/write, and that Content-Type is right.",
  },
  unsupported_content_type: {
    what: "Neither protobuf nor JSON",
    todo: "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json; gRPC is not taken.",
  },
  grpc: {
    what: "OpenTelemetry over gRPC",
    todo:
      "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and the endpoint to this server's address; a Collector passes gRPC on with its otlphttp exporter.",
  },
  too_many_items: {
    what: "Too many spans, logs or data points in one request",
    todo: "Send smaller batches.",
  },
  too_many_samples: TOO_LONG_PROFILE,
  too_many_stacks: TOO_LONG_PROFILE,
  too_many_frames: TOO_LONG_PROFILE,
  too_many_parts: { what: "Too many parts in one request", todo: "Send smaller batches." },
  invalid_profile: {
    what: "Not a profile",
    todo: "Send pprof, compressed or not; of Go's addresses without debug=1.",
  },
  profile_size: { what: "Profile too large", todo: "Profile for a shorter time." },
  profile_format: {
    what: "Profile in another format",
    todo: "Let the agent send pprof, or collapsed stacks (folded, lines).",
  },
  jfr: {
    what: "Recording of Java Flight Recorder (JFR)",
    todo:
      "Pyroscope's Java agent sends nothing else. Let async-profiler write collapsed stacks for /ingest, or make pprof of recordings with its jfrconv -o pprof, for /api/v1/profiles/pprof.",
  },
  bad_parameter: {
    what: "A parameter of the address is wrong",
    todo: "The answer that the client got names it.",
  },
};

/** What to tell about a reason code; codes without words of their own speak for themselves. */
export function adviceFor(reason: string): Advice {
  const known = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  return known ??
    { what: reason.replaceAll("_", " "), todo: "See the answer that the client got." };
}
