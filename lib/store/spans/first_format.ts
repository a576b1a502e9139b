/**
 * Spans as earlier versions stored them, each batch by itself: raw deflate (RFC 1951) of a JSON text, with a dictionary
 * that spans have in common. By fflate: Deno's `node:zlib` takes a dictionary without using it.
 */
import { inflateSync } from "fflate";
import type {
  Measurement,
  Span,
  SpanCategory,
  SpanEvent,
  SpanKind,
  SpanLink,
} from "../../records/mod.ts";

/** The first byte of what is read here. */
export const FIRST_FORMAT = 1;

const decoder = new TextDecoder();

/** Columns have as many values as there are spans; texts are places in `strings`. */
interface Columns {
  /** Earliest start, in microseconds since 1970. */
  readonly base: number;
  readonly strings: string[];
  /** 0: none; above: the place of the parent among these spans, plus 1; a text: an id that is not among them. */
  readonly parents: Reference[];
  readonly segments: Reference[];
  /** Microseconds from the start of the span before, which is the earlier one. */
  readonly starts: number[];
  readonly durations: number[];
  /** Nanoseconds beyond the microseconds of start and end, 0 to 999, two for each span; absent: none. */
  readonly fine?: number[];
  readonly names: number[];
  readonly kinds: number[];
  readonly ops: number[];
  readonly descriptions: number[];
  readonly categories: number[];
  readonly groups: number[];
  readonly statuses: number[];
  readonly origins: number[];
  /** Lists of attribute names. */
  readonly shapes: string[][];
  /** The place of the shape, then the values in its order. */
  readonly data: (readonly unknown[])[];
  /** What few spans have: with the place of the span. */
  readonly measurements: [number, readonly Measurement[]][];
  readonly events: [number, readonly SpanEvent[]][];
  readonly links: [number, readonly SpanLink[]][];
  readonly local_roots: number[];
}

type Reference = number | string;

/**
 * The spans of a batch, by start.
 *
 * @throws {Error} when the bytes are damaged
 */
export function unpackFirst(
  { ids, bytes }: { readonly ids: Uint8Array; readonly bytes: Uint8Array },
): Span[] {
  const text = decoder.decode(inflateSync(bytes.subarray(1), { dictionary: DICTIONARY }));
  const columns: Columns = JSON.parse(text);
  const { strings, shapes } = columns;
  const idAt = (place: number) => ids.subarray(place * 8, place * 8 + 8).toHex();
  const readReference = (reference: Reference | undefined): string | null =>
    typeof reference === "string" ? reference : reference ? idAt(reference - 1) : null;
  const word = (column: readonly number[], place: number) => strings[column[place] ?? -1] ?? "";
  const measurements = new Map(columns.measurements);
  const events = new Map(columns.events);
  const links = new Map(columns.links);
  const roots = new Set(columns.local_roots);
  let start = columns.base;
  return columns.starts.map((step, place) => {
    start += step;
    const [shape, ...values] = columns.data[place] ?? [];
    return {
      spanId: idAt(place),
      parentSpanId: readReference(columns.parents[place]),
      segmentId: readReference(columns.segments[place]),
      isSegment: roots.has(place),
      start: start / 1e6,
      end: (start + (columns.durations[place] ?? 0)) / 1e6,
      ...(columns.fine && {
        fine: [columns.fine[2 * place] ?? 0, columns.fine[2 * place + 1] ?? 0] as const,
      }),
      name: word(columns.names, place),
      kind: word(columns.kinds, place) as SpanKind,
      op: word(columns.ops, place),
      description: word(columns.descriptions, place),
      category: word(columns.categories, place) as SpanCategory,
      group: word(columns.groups, place),
      status: word(columns.statuses, place),
      origin: word(columns.origins, place),
      data: Object.fromEntries((shapes[Number(shape)] ?? []).map((name, at) => [name, values[at]])),
      measurements: measurements.get(place) ?? [],
      events: events.get(place) ?? [],
      links: links.get(place) ?? [],
    };
  });
}

/**
 * What spans of all the world have in common: text that the compressor knows before it reads the first span, as the
 * few spans of one trace repeat little among themselves. It never changes: stored spans cannot be read without it. What is most frequent stands at the end.
 */
const VERSION_1 = [
  '"thread.id":"thread.name":"MainThread","code.file.path":"code.function.name":"code.line.number":',
  '"gen_ai.request.model":"gen_ai.usage.input_tokens":"gen_ai.usage.output_tokens":"gen_ai.system":"gen_ai.operation.name":',
  '"cache.hit":true,"cache.key":["cache.item_size":"cache.get","cache.put","cache.remove"',
  '"rpc.system":"grpc","rpc.service":"rpc.method":"rpc.grpc.status_code":',
  '"messaging.system":"kafka","rabbitmq","messaging.destination.name":"messaging.operation.type":"messaging.message.id":"messaging.message.body.size":',
  '"browser.web_vital.lcp.value":"browser.web_vital.cls.value":"browser.web_vital.inp.value":"browser.web_vital.fcp.value":"browser.web_vital.ttfb.value":"ui.webvital.lcp","ui.webvital.cls","ui.interaction.click",',
  '"sentry.pageload.span_id":"sentry.replay_id":"sentry.previous_trace":"sentry.idle_span_finish_reason":"idleTimeout","browser.name":"Chrome","browser.version":"device.family":"os.name":"os.version":"effectiveConnectionType":"4g","hardwareConcurrency":',
  '"resource.render_blocking_status":"non-blocking","http.response_transfer_size":"http.response_content_length":"http.decoded_response_content_length":"http.request.redirect_start":"http.request.fetch_start":"http.request.domain_lookup_start":"http.request.connect_start":"http.request.request_start":"http.request.response_start":"http.request.response_end":"network.protocol.version":"1.1","network.protocol.name":"http","url.same_origin":true,',
  '"resource.script","resource.css","resource.img","resource.link","resource.other","resource.fetch","browser.paint","browser.request","browser.response","browser.DNS","browser.connect","browser.TLS/SSL","browser.domContentLoadedEvent","browser.loadEvent","first-contentful-paint","first-paint","mark","measure","pageload","navigation","ui.long-task",',
  '"middleware.express","middleware","router.express","request_handler.express","express.name":"express.type":"middleware","router","request_handler","query","expressInit","bodyParser","jsonParser","corsMiddleware","view.render","template.render","serialize","function","function.nextjs","ui.render","ui.react.render","django.middleware","django.view","event.django","flask","starlette","fastapi","asgi","wsgi","celery","queue.process","queue.publish","queue.task.celery",',
  '"/usr/src/app/node_modules/express/lib/router/layer.js","/app/","node_modules/",',
  '"auto.http.otel.http","auto.http.browser","auto.http.node_fetch","auto.db.otel.postgres","auto.db.otel.mysql2","auto.db.redis","auto.http.stdlib.httplib","auto.db.django","auto.http.express","auto.middleware.express","auto.pageload.browser","auto.navigation.browser","auto.resource.browser.metrics","auto.ui.browser.metrics","manual",',
  '"SELECT ","INSERT INTO "," FROM "," WHERE "," AND "," ORDER BY "," LIMIT "," VALUES ("," SET "," JOIN "," ON "," GROUP BY "," IN (?)"," RETURNING ","UPDATE ","DELETE FROM ","BEGIN","COMMIT","count(*)","$1","$2","$3","pg.query:SELECT ","GET ","SET ","HGETALL ","redis.command":',
  '"exception","exception.type":"exception.message":"exception.stacktrace":"exception.escaped":"error.type":"error","event":"log.severity":"INFO","message":',
  '"db.system":"db.system.name":"postgresql","mysql","redis","mongodb","sqlite","db.namespace":"db.name":"db.user":"db.operation.name":"SELECT","INSERT","UPDATE","DELETE","db.collection.name":"db.query.text":"db.query.summary":"db.statement":"db.connection_string":"server.address":"localhost","server.port":5432,3306,6379,27017,',
  '"user_agent.original":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/","client.address":"127.0.0.1","client.port":"network.peer.address":"network.peer.port":"net.transport":"ip_tcp","http.flavor":"1.1","http.client_ip":"http.status_text":"OK","http.host":"http.target":"http.method":"http.status_code":"http.scheme":"http.user_agent":"http.url":',
  '"sentry.sample_rate":1,"sentry.segment.id":"sentry.segment.name":"sentry.segment.name.source":"route","url","custom","sentry.trace_lifecycle":"stream","sentry.environment":"production","sentry.release":"sentry.sdk.name":"sentry.javascript.node","sentry.javascript.browser","sentry.python","sentry.sdk.version":"sentry.kind":"sentry.source":"sentry.op":"sentry.origin":',
  '"url.full":"http://","https://","url.path":"/api/v1/","/api/","url.query":"?","url.scheme":"https","http","http.route":"/","http.request.method":"GET","POST","PUT","PATCH","http.response.status_code":200,201,204,301,302,304,400,401,403,404,409,422,429,500,502,503,',
  '{"base":1,"strings":["","ok","http.server","http.client","db","db.query","db.sql.query","cache.get","default","internal_error","not_found","invalid_argument","server","client","internal","producer","consumer","http","queue","rpc","render","resource","GET /","POST /"],"parents":[0,1,1,1,1],"segments":[0,0,0],"starts":[0,"durations":["names":[1,2,"kinds":[0,0,0],"ops":["descriptions":["categories":[0,0,0],"groups":["statuses":[1,1,1],"origins":["shapes":[["data":[[0,[1,"measurements":[],"events":[],"links":[],"local_roots":[]}',
];

export const DICTIONARY = new TextEncoder().encode(VERSION_1.join(""));
