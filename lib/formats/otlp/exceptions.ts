import { createHash } from "node:crypto";
import type { DecodeContext } from "../decode_context.ts";
import type { ErrorEvent, Level, Span } from "../../records/mod.ts";
import { type Raw, readBoolean, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import type { OutcomeTally } from "../outcome_tally.ts";
import { toErrorEvent } from "../sentry/error_event.ts";
import { parseStack } from "../stack_text/parse_stack.ts";
import type { OtlpLog, OtlpSpan } from "./model.ts";
import type { OtlpSender } from "./resource_attributes.ts";

/** More of one trace tell the same story again. */
const MAX_PER_TRACE = 20;
/** Each costs a tenth of a millisecond, and more when its stack is long. */
const MAX_PER_REQUEST = 500;
/** Characters of stacks that are read in one request. */
const MAX_STACK_TEXT = 2_000_000;

/** What is known of a span whose exceptions are added. */
interface SpanScene extends Pick<Scene, "sender" | "resource" | "traceId" | "transaction"> {
  readonly span: Span;
}

/**
 * Makes the errors of a request out of the exceptions in it: each once, though a span event, the span's attributes and
 * a log may tell of the same, and no more than a page could show.
 */
export class ErrorCollector {
  readonly #records: ErrorEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #perTrace = new Map<string, number>();
  #stackText = 0;

  constructor(private readonly context: DecodeContext, private readonly tally: OutcomeTally) {}

  /** What is to be stored. */
  get records(): readonly ErrorEvent[] {
    return this.#records;
  }

  /** Adds the exceptions of one span. */
  addOfSpan(exceptions: readonly SentException[], { span, ...known }: SpanScene): void {
    const scene: Scene = {
      ...known,
      span,
      spanId: span.spanId,
      level: "error",
      logger: "",
      message: "",
    };
    for (const exception of exceptions) this.add(exception, scene);
  }

  /** Adds an exception, or counts why it is none of the errors. */
  add(exception: SentException, scene: Scene): void {
    const eventId = errorId(exception, scene);
    if (this.#seen.has(eventId)) return;
    this.#seen.add(eventId);
    if (!this.#hasRoom(scene.traceId, exception.stack.length)) {
      this.tally.add("error", "too_large", "too_many_exceptions");
      return;
    }
    const raw = rawEvent(exception, scene);
    const result = toErrorEvent(raw, { ...this.#errorContext(raw), eventId });
    if ("dropped" in result) {
      const { category, kind, reason, quantity } = result.dropped;
      this.tally.add(category as "error", kind, reason, quantity);
    } else this.#records.push(result);
  }

  #hasRoom(traceId: string, stackText: number): boolean {
    const inTrace = this.#perTrace.get(traceId) ?? 0;
    this.#perTrace.set(traceId, inTrace + 1);
    this.#stackText += stackText;
    // Logs outside of traces are of no one story.
    return (traceId === "" || inTrace < MAX_PER_TRACE) &&
      this.#records.length < MAX_PER_REQUEST && this.#stackText <= MAX_STACK_TEXT;
  }

  #errorContext(raw: Raw) {
    const { policy, receivedAt, retentionDays, drafts } = this.context;
    return {
      ...drafts && { drafts },
      receivedAt,
      sentAt: null,
      retentionDays,
      // A server or a collector sends, and not the one whom the error happened to.
      clientAddress: null,
      rawBytes: JSON.stringify(raw).length,
      filter: (event: Parameters<typeof policy.filterEvent>[0]) =>
        policy.filterEvent(event, this.context),
      scrub: policy.scrubEvent,
      fingerprint: policy.fingerprintOf,
    };
  }
}

/**
 * The same for one exception whatever tells of it and how often: libraries record it on every span that it passes, and a
 * logger tells of it once more, each from another depth, in requests that come in any order. So of a stack only the place
 * counts where it was thrown. Outside of a trace, the time tells two apart.
 *
 * @returns 32 lower-case hex digits
 */
function errorId({ type, message, stack, time }: SentException, scene: Scene): string {
  const { traceId, sender } = scene;
  const place = traceId !== ""
    ? [traceId, sender.service, throwPlace(stack)]
    : [sender.service, sender.server, String(time), stack];
  return createHash("md5").update([...place, type, message].join("\0")).digest("hex");
}

/** Where an exception was thrown. */
interface Scene {
  readonly sender: OtlpSender;
  readonly resource: JsonObject;
  readonly level: Level;
  /** 32 lower-case hex digits, or `""`. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or `""`. */
  readonly spanId: string;
  /** The span itself, where the request has it. */
  readonly span?: Span;
  /** Name of the transaction, or `""`. */
  readonly transaction: string;
  /** Name of the logger, or `""`. */
  readonly logger: string;
  /** What a log said, or `""`. */
  readonly message: string;
}

/** An exception as OpenTelemetry's conventions have it. Type and message are not both empty. */
export interface SentException {
  readonly type: string;
  readonly message: string;
  /** In the form of its language, or `""`. */
  readonly stack: string;
  /** It left the span that it was thrown in. */
  readonly isEscaped: boolean;
  /** In seconds since 1970. */
  readonly time: number;
  /** What was said beside. */
  readonly details: JsonObject;
}

const EVENT_NAME = "exception";
const PREFIX = "exception.";

/** The exceptions of a span: those of its events, and the one in its own attributes, where Deno puts it. */
export function spanExceptions({ events, attributes, end }: OtlpSpan): SentException[] {
  const found: SentException[] = [];
  for (const event of events) {
    if (event.name !== EVENT_NAME) continue;
    const exception = readException(event.attributes, event.time || end, true);
    if (exception !== null) found.push(exception);
  }
  // What else is among these belongs to the span.
  const own = readException(attributes, end, false);
  return own === null ? found : [...found, own];
}

/** The exception that a log record tells of, or null. @param time of the record, in seconds since 1970 */
export function logException({ attributes }: OtlpLog, time: number): SentException | null {
  return readException(attributes, time, true);
}

function readException(
  attributes: JsonObject,
  time: number,
  hasDetails: boolean,
): SentException | null {
  const type = textIn(attributes, "exception.type");
  const message = textIn(attributes, "exception.message");
  if (type === "" && message === "") return null;
  return {
    type,
    message,
    stack: textIn(attributes, "exception.stacktrace"),
    isEscaped: readBoolean(attributes["exception.escaped"]) ?? false,
    time,
    details: hasDetails ? withoutException(attributes) : {},
  };
}

function withoutException(attributes: JsonObject): JsonObject {
  const others = Object.entries(attributes).filter(([name]) => !name.startsWith(PREFIX));
  return Object.fromEntries(others);
}

/** The event that a Sentry SDK would have sent about an exception. */
function rawEvent(exception: SentException, scene: Scene): Raw {
  const { sender, resource } = scene;
  const { values, hasFrames } = exceptionValues(exception, sender.language);
  const isUnread = exception.stack !== "" && !hasFrames;
  return {
    timestamp: exception.time,
    platform: sentryPlatform(sender.language),
    level: scene.level,
    environment: sender.environment,
    release: sender.release,
    server_name: sender.server,
    transaction: scene.transaction,
    logger: scene.logger,
    logentry: scene.message === "" ? undefined : { formatted: scene.message },
    sdk: sdkOf(resource),
    tags: sender.service === "" ? undefined : { service: sender.service },
    user: userOf(scene.span?.data ?? exception.details),
    request: requestOf(scene),
    contexts: contextsOf(scene),
    exception: { values },
    extra: {
      ...exception.details,
      ...(isUnread && { "exception.stacktrace": exception.stack }),
    },
  };
}

function sdkOf(resource: JsonObject): Raw {
  return {
    name: textIn(resource, "telemetry.sdk.name"),
    version: textIn(resource, "telemetry.sdk.version"),
  };
}

function userOf(attributes: Readonly<Record<string, unknown>>): Raw {
  const own = attributes as JsonObject;
  return {
    id: textIn(own, "enduser.id", "user.id"),
    email: textIn(own, "user.email"),
    username: textIn(own, "user.name"),
  };
}

/** What a server was asked for, as far as its span says. */
function requestOf({ span }: Scene): Raw | undefined {
  if (span?.kind !== "server") return undefined;
  const attributes = span.data as JsonObject;
  const [host, path] = [textIn(attributes, "server.address"), textIn(attributes, "url.path")];
  const scheme = textIn(attributes, "url.scheme") || "http";
  const url = textIn(attributes, "url.full") || (host === "" ? path : `${scheme}://${host}${path}`);
  if (url === "") return undefined;
  const userAgent = textIn(attributes, "user_agent.original");
  return {
    url,
    method: textIn(attributes, "http.request.method"),
    query_string: textIn(attributes, "url.query"),
    headers: userAgent === "" ? undefined : { "User-Agent": userAgent },
  };
}

function contextsOf({ traceId, spanId, span, resource }: Scene): Raw {
  return {
    trace: traceId === "" ? undefined : {
      trace_id: traceId,
      ...(spanId !== "" && { span_id: spanId }),
      ...(span?.parentSpanId && { parent_span_id: span.parentSpanId }),
      ...(span?.op && { op: span.op }),
      ...(span?.status && { status: span.status }),
    },
    runtime: product(resource, "process.runtime.name", "process.runtime.version"),
    os: product(resource, "os.name", "os.version") ?? product(resource, "os.type", "os.version"),
    // A copy: what is stored of the spans shares the attributes.
    resource: { ...resource },
  };
}

function product(resource: JsonObject, name: string, version: string): Raw | undefined {
  const text = textIn(resource, name);
  return text === "" ? undefined : { name: text, version: textIn(resource, version) };
}

/** Platforms by their names at Sentry, where those differ from the languages' names. */
const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["nodejs", "node"],
  ["webjs", "javascript"],
  ["deno-rust", "javascript"],
  ["dotnet", "csharp"],
  ["cpp", "native"],
  ["swift", "cocoa"],
  ["kotlin", "java"],
  ["scala", "java"],
  ["erlang", "elixir"],
]);

/** Sentry's name of the platform for a language of `telemetry.sdk.language`; `other` where none is named. */
function sentryPlatform(language: string): string {
  return PLATFORMS.get(language) ?? (language === "" ? "other" : language);
}

/** Languages whose Sentry SDKs tell the package apart from the type. */
const WITH_MODULES = new Set(["java", "python"]);

/**
 * The exceptions of an event as Sentry has them, cause first; what the stack's text is not understood for is left out.
 *
 * @returns the values, and whether their stack was understood
 */
function exceptionValues(
  { type, message, stack, isEscaped }: SentException,
  language: string,
): { readonly values: Raw[]; readonly hasFrames: boolean } {
  const parsed = stack === "" ? [] : parseStack(stack, language);
  const outermost = parsed.at(-1);
  const platform = sentryPlatform(language);
  const causes = parsed.slice(0, -1).map((cause): Raw => ({
    ...typeAndModule(cause.type, platform),
    value: cause.value,
    stacktrace: { frames: cause.frames },
  }));
  const main: Raw = {
    ...typeAndModule(type || outermost?.type || "", platform),
    value: message || outermost?.value || "",
    mechanism: { type: "opentelemetry", handled: !isEscaped },
    ...(outermost !== undefined && { stacktrace: { frames: outermost.frames } }),
  };
  return { values: [...causes, main], hasFrames: outermost !== undefined };
}

const QUALIFIED = /^([\w$.]+)\.([\w$]+)$/;

function typeAndModule(type: string, platform: string): Raw {
  const [, module, name] = WITH_MODULES.has(platform) ? QUALIFIED.exec(type) ?? [] : [];
  return name === undefined ? { type } : { type: name, module };
}

/** JavaScript, Java, .NET: the newest call comes first. */
const AT = /^[ \t]*at [^\n]{1,500}/m;
/** Ruby, where the newest comes first as well. */
const RUBY = /^[^\s:]{1,500}:\d+:in [^\n]{1,500}/m;
/** Python: the newest comes last. */
const PYTHON = /^[ \t]*File "[^"\n]{1,500}", line \d+, in [^\n]{1,500}/gm;

/**
 * The line of a stack's text that tells where an exception was thrown, whatever is above it in the stack; `""` where the
 * text does not tell, as Go's, which begins where the error was recorded.
 */
function throwPlace(stack: string): string {
  const first = AT.exec(stack) ?? RUBY.exec(stack);
  const line = first?.[0] ?? stack.match(PYTHON)?.at(-1) ?? "";
  return line.trim();
}
