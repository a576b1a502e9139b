import { isPublicKey } from "../../accounts/keys.ts";
import { Refusal } from "../../core/refusal.ts";
import { LIMITS, PprofError, unreadableProfile } from "../../formats/pprof/faults.ts";
import { LabelValues, withLabels } from "../../formats/pprof/labels.ts";
import { readUpload, uploadBatch } from "../../formats/pprof/upload.ts";
import { type PushSeries, readPushRequest } from "../../formats/pyroscope/push_request.ts";
import { decodePush } from "../../formats/pyroscope/push.ts";
import type { Batch } from "../../records/mod.ts";
import { bearerKey, type Credentials } from "../identify.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import type { Protocol } from "../protocol.ts";
import { PROFILE_BODY } from "./pprof.ts";
import { CORS_HEADERS, refused } from "./sentry_reply.ts";

/** `POST /ingest`: how Pyroscope's SDKs and agents push profiles. */
export const pyroscopePush: Protocol<Promise<Batch>> = {
  name: "pyroscope_push",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: pyroscopeKey,
  decode: decodePush,
  reply: () => new Response(null, { status: 200, headers: CORS_HEADERS }),
  refuse: refused,
};

/**
 * `POST /push.v1.PusherService/Push`: how Pyroscope's newer agents push, by the Connect protocol's unary calls
 * (https://connectrpc.com/docs/protocol) with pprof inside.
 */
export const pyroscopeConnect: Protocol<Batch> = {
  name: "pyroscope_connect",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: pyroscopeKey,
  decode,
  // An empty `PushResponse`.
  reply: () =>
    new Response(null, {
      status: 200,
      headers: { ...CORS_HEADERS, "content-type": "application/proto" },
    }),
  refuse: ({ status, detail, headers }) =>
    Response.json({ code: CODES[status] ?? "unknown", message: detail }, {
      status,
      headers: { ...CORS_HEADERS, ...headers },
    }),
};

/** Connect's words for a status. */
const CODES: Readonly<Record<number, string>> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  405: "unimplemented",
  413: "resource_exhausted",
  415: "unimplemented",
  429: "resource_exhausted",
  503: "unavailable",
};

/** Names that say who profiled, by the last part of the scope or by the agent's own word. */
const PLATFORMS: Readonly<Record<string, string>> = {
  python: "python",
  pyspy: "python",
  ruby: "ruby",
  rbspy: "ruby",
  rust: "rust",
  "pyroscope-rs": "rust",
  go: "go",
  gospy: "go",
  java: "java",
  javaspy: "java",
  dotnet: "csharp",
  dotnetspy: "csharp",
  node: "node",
  nodejs: "node",
  nodespy: "node",
};

const NOBODY = { service: "", environment: "", release: "", instance: "" };

function decode(body: Uint8Array, context: DecodeContext): Batch {
  const type = context.contentType.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/proto") {
    throw new Refusal(
      415,
      "This address takes Connect calls with Content-Type application/proto",
      { kind: "unsupported", reason: "profile_format" },
    );
  }
  const series = seriesIn(body);
  const batches: Batch[] = [];
  let plainBytes = 0;
  for (const { labels, profiles } of series) {
    for (const profile of profiles) {
      const upload = readUpload(profile);
      plainBytes += upload.plain.length;
      if (plainBytes > LIMITS.rawBytes) {
        throw unreadableProfile(new PprofError("all profiles together are too large", "too_large"));
      }
      batches.push(uploadBatch(upload, factsOf(labels), context));
    }
  }
  return {
    records: batches.flatMap(({ records }) => records),
    outcomes: batches.flatMap(({ outcomes }) => outcomes),
    eventId: null,
  };
}

function seriesIn(body: Uint8Array): PushSeries[] {
  try {
    return readPushRequest(body);
  } catch (error) {
    if (error instanceof PprofError) throw unreadableProfile(error);
    throw error;
  }
}

function factsOf(pairs: PushSeries["labels"]) {
  const labels = new LabelValues();
  for (const [name, value] of pairs) labels.add(name, value);
  const scope = labels.take("otel.scope.name").split("/").at(-1) ?? "";
  const agent = labels.take("pyroscope_spy");
  const kindHint = labels.take("__name__");
  const sender = withLabels(NOBODY, labels);
  return {
    ...sender,
    from: null,
    until: null,
    platform: platformOf(scope) ?? platformOf(agent) ?? "",
    kindHint,
    isDelta: undefined,
    labels: labels.lists(),
  };
}

function platformOf(word: string): string | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined;
}

/** The key as a bearer token, or in Basic authentication as password or user; null when there is none. */
function pyroscopeKey(req: Request): Credentials | null {
  return bearerKey(req) ?? basicKey(req);
}

function basicKey({ headers }: Request): Credentials | null {
  const [, encoded = ""] = /^Basic +([\w+/=-]+)\s*$/i.exec(headers.get("authorization") ?? "") ??
    [];
  const [user = "", password = ""] = textOf(encoded).split(/:(.*)/s);
  const key = [password, user].find(isPublicKey) ?? (password || user);
  // What has another form is an unknown key, not a missing one.
  return key === "" ? null : { publicKey: key.slice(0, 100), client: null };
}

function textOf(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}
