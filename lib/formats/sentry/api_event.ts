/**
 * Events as APIs give them out, brought back into the shape in which SDKs send them: those of Sentry and GlitchTip
 * (`/api/0/projects/…/events/?full=true`, and one event alone) and of Bugsink (`/api/canonical/0/events/<id>/`).
 */
import { asObject, type Raw, readNumber, readText } from "../fields.ts";

/** An event with what stands around it. */
export interface ApiEvent {
  /** As an SDK sends it. */
  readonly event: Raw;
  /** The id of its issue there, or null. */
  readonly issueId: string | null;
  /** When it came there, as sent; undefined: nobody says. */
  readonly received: unknown;
}

/** @param raw one element of an answer, parts of which are taken over; null when it is no event */
export function eventOfApi(raw: Raw): ApiEvent | null {
  const data = asObject(raw.data);
  if (data !== undefined && raw.event_id !== undefined) return ofBugsink(raw, data);
  if (raw.eventID === undefined && !Array.isArray(raw.entries)) return null;
  return ofSentry(raw);
}

function ofBugsink(raw: Raw, data: Raw): ApiEvent {
  return {
    event: { ...data, event_id: raw.event_id, timestamp: data.timestamp ?? raw.timestamp },
    issueId: readText(raw.issue) ?? null,
    received: raw.ingested_at ?? raw.digested_at,
  };
}

function ofSentry(raw: Raw): ApiEvent {
  const entries = new Map(
    listOf(raw.entries).map((entry) => [readText(entry.type) ?? "", entry.data]),
  );
  const sdk = asObject(raw.sdk);
  const event: Raw = {
    event_id: raw.eventID ?? raw.id,
    timestamp: raw.dateCreated ?? raw.dateReceived,
    platform: raw.platform,
    level: tagOf(raw, "level") ?? raw.level,
    logger: tagOf(raw, "logger"),
    environment: tagOf(raw, "environment") ?? raw.environment,
    release: releaseOf(raw.release) ?? tagOf(raw, "release"),
    dist: tagOf(raw, "dist") ?? (typeof raw.dist === "string" ? raw.dist : undefined),
    transaction: tagOf(raw, "transaction"),
    server_name: tagOf(raw, "server_name"),
    tags: listOf(raw.tags).map(({ key, value }) => [key, value]),
    user: raw.user,
    contexts: raw.contexts,
    extra: raw.context,
    modules: raw.packages,
    sdk: sdk && { name: sdk.name, version: sdk.version },
    culprit: raw.culprit,
    exception: exceptionOf(entries.get("exception")),
    threads: valuesOf(entries.get("threads"), threadOf),
    stacktrace: stackOf(entries.get("stacktrace")),
    breadcrumbs: valuesOf(entries.get("breadcrumbs"), crumbOf),
    request: requestOf(entries.get("request")),
    logentry: messageOf(raw, entries),
    csp: entries.get("csp"),
    debug_meta: entries.get("debugmeta"),
  };
  for (const key of Object.keys(event)) {
    if (event[key] === undefined || event[key] === null) delete event[key];
  }
  return {
    event,
    issueId: readText(raw.groupID) ?? readText(raw.issue) ?? null,
    received: raw.dateReceived,
  };
}

function listOf(value: unknown): Raw[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.map(asObject).filter((each) => each !== undefined);
}

function tagOf(raw: Raw, key: string): string | undefined {
  return readText(listOf(raw.tags).find((tag) => tag.key === key)?.value);
}

/** A text, or what is known of the release. */
function releaseOf(release: unknown): string | undefined {
  return typeof release === "string" ? release : readText(asObject(release)?.version);
}

/** A message is told as what it became; with exceptions it is a part of the title only. */
function messageOf(raw: Raw, entries: ReadonlyMap<string, unknown>): unknown {
  const entry = asObject(entries.get("message"));
  if (entry !== undefined) return entry;
  const text = readText(raw.message);
  return entries.has("exception") || text === undefined || text === ""
    ? undefined
    : { formatted: text };
}

function valuesOf(data: unknown, read: (raw: Raw) => Raw): { values: Raw[] } | undefined {
  const values = listOf(asObject(data)?.values).map(read);
  return values.length > 0 ? { values } : undefined;
}

function exceptionOf(data: unknown) {
  return valuesOf(data, ({ threadId, stacktrace, rawStacktrace, ...rest }) => ({
    ...rest,
    thread_id: threadId,
    stacktrace: stackOf(stacktrace),
    raw_stacktrace: stackOf(rawStacktrace),
  }));
}

function threadOf({ stacktrace, rawStacktrace, ...rest }: Raw): Raw {
  return { ...rest, stacktrace: stackOf(stacktrace), raw_stacktrace: stackOf(rawStacktrace) };
}

function crumbOf({ event_id: _, ...crumb }: Raw): Raw {
  return crumb;
}

function stackOf(value: unknown): Raw | undefined {
  const stack = asObject(value);
  const frames = listOf(stack?.frames).map(frameOf);
  if (frames.length === 0) return undefined;
  return { frames, frames_omitted: stack?.framesOmitted, registers: stack?.registers };
}

function frameOf(frame: Raw): Raw {
  const lineno = readNumber(frame.lineNo);
  const lines = Array.isArray(frame.context)
    ? frame.context.filter((line): line is [number, string] =>
      Array.isArray(line) && typeof line[0] === "number" && typeof line[1] === "string"
    )
    : [];
  const at = (isOf: (line: number) => boolean) =>
    lines.filter(([line]) => isOf(line)).map(([, text]) => text);
  return {
    filename: frame.filename,
    abs_path: frame.absPath,
    module: frame.module,
    package: frame.package,
    platform: frame.platform,
    function: frame.function,
    raw_function: frame.rawFunction,
    symbol: frame.symbol,
    instruction_addr: frame.instructionAddr,
    lineno: frame.lineNo,
    colno: frame.colNo,
    in_app: frame.inApp,
    vars: frame.vars,
    ...(lines.length > 0 && lineno !== undefined && {
      pre_context: at((line) => line < lineno),
      context_line: at((line) => line === lineno)[0],
      post_context: at((line) => line > lineno),
    }),
  };
}

function requestOf(data: unknown): Raw | undefined {
  const request = asObject(data);
  if (request === undefined) return undefined;
  const { query, inferredContentType, ...rest } = request;
  return { ...rest, query_string: query, inferred_content_type: inferredContentType };
}
