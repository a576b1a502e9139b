import { textIn } from "../attributes.ts";
import type { Raw } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { exceptionValues, sentryPlatform } from "./exception_values.ts";
import type { Scene } from "./scene.ts";
import type { SentException } from "./sent_exception.ts";

/** The event that a Sentry SDK would have sent about an exception. */
export function rawEvent(exception: SentException, scene: Scene): Raw {
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
