import type {
  Breadcrumb,
  Exception,
  NormalizedEvent,
  RequestInfo,
  Thread,
} from "../formats/sentry/normalized_event.ts";
import { hasSystemFrames, stacktraceJson } from "./api_stacktrace.ts";

/** One part of an event, as Sentry's API shows it. */
export interface Entry {
  readonly type: string;
  readonly data: unknown;
}

/** The parts of an event in Sentry's order: what happened, where, and what went before. */
export function entriesOf(event: NormalizedEvent): Entry[] {
  const { exception, stacktrace, logentry, threads, template, request, breadcrumbs, platform } =
    event;
  const parts: [type: string, data: unknown][] = [
    ["exception", exception && exceptionsJson(exception.values, platform)],
    ["stacktrace", stacktrace && stacktraceJson(stacktrace, platform)],
    ["message", logentry && { ...logentry, formatted: logentry.formatted ?? logentry.message }],
    [
      "threads",
      threads && { values: threads.values.map((thread) => threadJson(thread, platform)) },
    ],
    ["template", template],
    ["request", request && requestJson(request)],
    ["breadcrumbs", breadcrumbs && { values: breadcrumbs.values.map(breadcrumbJson) }],
    ["debugmeta", event.debug_meta],
    ["csp", event.csp],
  ];
  return parts.flatMap(([type, data]) => data === undefined ? [] : [{ type, data }]);
}

function exceptionsJson(exceptions: readonly Exception[], platform: string) {
  return {
    values: exceptions.map((exception) => ({
      type: exception.type ?? null,
      value: exception.value ?? null,
      module: exception.module ?? null,
      threadId: exception.thread_id ?? null,
      mechanism: exception.mechanism ?? null,
      stacktrace: stacktraceJson(exception.stacktrace, platform),
      rawStacktrace: stacktraceJson(exception.raw_stacktrace, platform),
    })),
    hasSystemFrames: exceptions.some(({ stacktrace }) => hasSystemFrames(stacktrace, platform)),
    excOmitted: null,
  };
}

function threadJson(thread: Thread, platform: string) {
  return {
    id: thread.id ?? null,
    name: thread.name ?? null,
    crashed: thread.crashed ?? false,
    current: thread.current ?? false,
    state: thread.state ?? null,
    stacktrace: stacktraceJson(thread.stacktrace, platform),
    rawStacktrace: stacktraceJson(thread.raw_stacktrace, platform),
  };
}

function requestJson(request: RequestInfo) {
  return {
    url: request.url ?? null,
    method: request.method ?? null,
    query: request.query_string ?? [],
    fragment: request.fragment ?? null,
    headers: request.headers ?? [],
    cookies: request.cookies ?? [],
    env: request.env ?? null,
    data: request.data ?? null,
    inferredContentType: request.inferred_content_type ?? null,
  };
}

function breadcrumbJson(crumb: Breadcrumb) {
  return {
    type: crumb.type,
    level: crumb.level,
    category: crumb.category ?? null,
    message: crumb.message ?? null,
    data: crumb.data ?? null,
    timestamp: crumb.timestamp === undefined ? null : new Date(crumb.timestamp * 1000),
    event_id: null,
  };
}
