import type { Level } from "../../records/mod.ts";
import type { Json, JsonObject } from "../json.ts";

/**
 * The stored payload of an error: a Sentry event in one shape, whatever SDK sent it and in whichever of the
 * accepted forms. Names stay Sentry's, in snake_case.
 *
 * - Fields that were null, empty or unusable are absent; nothing here is ever null except inside free-form
 *   JSON (`Json`, `JsonObject`). Fields not declared here are kept as they were sent, at every level.
 * - Lists of exceptions, threads and breadcrumbs are always `{ values: […] }`.
 * - Times are seconds since 1970 with fractions, corrected for the client's clock.
 * - Tags, headers, cookies and query parameters are lists of pairs, in the order sent; names may repeat.
 * - Exceptions stand cause first, outermost last; frames stand oldest call first, crashing frame last.
 * - Strings are well-formed Unicode without NUL and cut at the lengths in `limits.ts`, ending in `...`.
 *   They are still what a stranger sent: HTML, control characters, ANSI colours and all. Escape on output.
 *
 * The fields are writable because scrubbing edits the event in place before it becomes text; until then, an
 * absent field may also be there with the value undefined.
 */
export interface NormalizedEvent {
  /** 32 lower-case hex digits. */
  event_id: string;
  type: "error" | "default" | "csp";
  timestamp: number;
  received: number;
  platform: string;
  level: Level;
  logger?: string;
  transaction?: string;
  transaction_info?: JsonObject;
  server_name?: string;
  site?: string;
  release?: string;
  dist?: string;
  environment?: string;
  logentry?: LogEntry;
  exception?: Values<Exception>;
  stacktrace?: Stacktrace;
  threads?: Values<Thread>;
  template?: Frame;
  breadcrumbs?: Values<Breadcrumb>;
  /** What the client tagged, without the tags derived from other fields (those are in `ErrorEvent.tags`). */
  tags?: Pair[];
  user?: User;
  request?: RequestInfo;
  contexts?: Contexts;
  extra?: JsonObject;
  fingerprint?: string[];
  checksum?: string;
  modules?: Record<string, string>;
  sdk?: Sdk;
  debug_meta?: DebugMeta;
  csp?: JsonObject;
  errors?: JsonObject[];
  /** Set by old clients that grouped by it. */
  culprit?: string;
  /** What the client said before it was corrected; present only when something was. */
  _received?: Received;
  /** What was filtered out of the event: how many values, and names of the fields they were in. */
  _scrubbed?: { count: number; fields: string[] };
}

export interface Values<T> {
  values: T[];
}

export type Pair = [name: string, value: string];

/** A message: `message` may be a template such as `user %s failed`, `formatted` is what to show. */
export interface LogEntry {
  message?: string;
  formatted?: string;
  params?: Json[] | JsonObject;
}

/** At least one of `type`, `value` and `stacktrace` is there. */
export interface Exception {
  type?: string;
  value?: string;
  module?: string;
  thread_id?: string;
  stacktrace?: Stacktrace;
  /** The stack before source maps were applied by the client. */
  raw_stacktrace?: Stacktrace;
  /** As the client sent them, where a mapping file had other names. */
  raw_type?: string;
  raw_module?: string;
  mechanism?: Mechanism;
}

/** How the exception was caught, and its place among chained ones. */
export interface Mechanism {
  type: string;
  /** False: it was not caught by the application. */
  handled?: boolean;
  /** True: the exception was made up by the SDK to carry a stack or a message. */
  synthetic?: boolean;
  description?: string;
  help_link?: string;
  /** The attribute of the parent that holds this one, as `__cause__`, `cause` or `errors[0]`. */
  source?: string;
  is_exception_group?: boolean;
  exception_id?: number;
  parent_id?: number;
  data?: JsonObject;
  meta?: JsonObject;
}

/** Never empty. */
export interface Stacktrace {
  frames: Frame[];
  /** `[first, end)`: indices of the frames left out of the middle, in the original list. */
  frames_omitted?: [first: number, end: number];
  registers?: JsonObject;
}

export interface Frame {
  function?: string;
  raw_function?: string;
  symbol?: string;
  module?: string;
  package?: string;
  filename?: string;
  abs_path?: string;
  lineno?: number;
  colno?: number;
  pre_context?: string[];
  context_line?: string;
  post_context?: string[];
  /** Absent when the client did not say. */
  in_app?: boolean;
  vars?: JsonObject;
  platform?: string;
  instruction_addr?: string;
  data?: JsonObject;
}

export interface Thread {
  id?: string;
  name?: string;
  crashed?: boolean;
  current?: boolean;
  main?: boolean;
  state?: string;
  stacktrace?: Stacktrace;
  raw_stacktrace?: Stacktrace;
}

export interface Breadcrumb {
  timestamp?: number;
  /** `default`, `http`, `navigation`, `error`, `debug`, `query`, `info`, `user` or the client's own. */
  type: string;
  level: Level;
  category?: string;
  message?: string;
  data?: JsonObject;
}

/** Never empty. */
export interface User {
  id?: string;
  email?: string;
  username?: string;
  name?: string;
  ip_address?: string;
  geo?: JsonObject;
  /** Everything else that was sent about the user. */
  data?: JsonObject;
}

export interface RequestInfo {
  /** Without query and fragment. */
  url?: string;
  method?: string;
  query_string?: Pair[];
  fragment?: string;
  headers?: Pair[];
  cookies?: Pair[];
  env?: JsonObject;
  /** The body; JSON and form bodies that came as text are parsed. */
  data?: Json;
  inferred_content_type?: string;
}

/** By name, as `os`, `runtime`, `browser`, `device`, `trace`, `response`; what was no object is `{ value }`. */
export type Contexts = Record<string, JsonObject> & { trace?: TraceContext };

export interface TraceContext extends JsonObject {
  /** 32 lower-case hex digits. */
  trace_id?: string;
  /** 16 lower-case hex digits. */
  span_id?: string;
  parent_span_id?: string;
}

export interface Sdk {
  name?: string;
  version?: string;
  integrations?: string[];
  packages?: { name?: string; version?: string }[];
}

export interface DebugMeta {
  images?: JsonObject[];
}

export interface Received {
  /** The event's own time as sent. */
  timestamp?: Json;
  /** Seconds that were added to every time in the event. */
  shifted_by?: number;
  /** Names of the parts that were too large and lost something. */
  trimmed?: string[];
}

/**
 * Whether the event is a message, though it may carry exceptions: JS SDKs since 11 attach the stack of
 * `captureMessage()` as an exception that is synthetic and has no type.
 */
export function isMessage(event: NormalizedEvent): boolean {
  if (!event.exception) return event.logentry !== undefined;
  return event.logentry !== undefined &&
    event.exception.values.every(({ type, mechanism }) => !type && mechanism?.synthetic === true);
}
