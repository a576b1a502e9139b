/** Spans that did not come by OTLP, out of OTLP: what an export says beside it makes them what they were. */
import { z } from "zod";
import { asObject, type Raw } from "../../formats/fields.ts";
import { textAttribute } from "../../formats/otlp/write.ts";
import { type Span, SPAN_CATEGORIES, SPAN_KINDS, type TelemetryRecord } from "../../records/mod.ts";
import { REST, TRANSACTION_ID } from "../../transfers/mod.ts";

const word = z.string().max(200);
const id = z.string().regex(/^[0-9a-f]{16}$/);

const Rest = z.object({
  batch: z.object({
    batchId: z.string().regex(/^[0-9a-f]{32}$/),
    transaction: word,
    environment: word,
    release: word,
    service: word,
    platform: word,
    sdk: word,
  }),
  timestamp: z.number(),
  resource: z.record(z.string().max(1_024), z.json()),
  spans: z.array(z.object({
    spanId: id,
    segmentId: id.nullable(),
    isSegment: z.boolean(),
    name: z.string().max(1_024),
    kind: z.enum(SPAN_KINDS),
    op: word,
    description: z.string().max(4_096),
    category: z.enum(SPAN_CATEGORIES),
    group: z.string().max(4_096),
    status: word,
    origin: word,
    measurements: z.array(z.object({ name: word, value: z.number(), unit: word })).max(500),
  })).max(10_000),
});

/** What an export says of one `ResourceSpans`. */
type RestOf = z.output<typeof Rest>;

/** A request in parts: what is OTLP and nothing else, and each of those that have something beside it. */
export interface SpanParts {
  readonly plain: readonly Raw[];
  readonly others: readonly { readonly request: Raw; readonly rest: RestOf }[];
}

/** Takes an `ExportTraceServiceRequest` apart; spans that stand among the transactions as well are left out. */
export function spanParts(request: Raw): SpanParts {
  const plain: Raw[] = [];
  const others: { request: Raw; rest: RestOf }[] = [];
  for (const sent of Array.isArray(request.resourceSpans) ? request.resourceSpans : []) {
    const group = asObject(sent);
    const resource = asObject(group?.resource);
    if (group === undefined) continue;
    const rest = restIn(textAttribute(resource?.attributes, REST));
    if (rest === null) {
      const own = withoutTransactions(group);
      if (own !== null) plain.push(own);
    } else {
      const attributes = attributesBut(resource?.attributes, REST);
      others.push({ request: { ...group, resource: { ...resource, attributes } }, rest });
    }
  }
  return { plain, others };
}

function restIn(text: string | null): RestOf | null {
  if (text === null) return null;
  try {
    return Rest.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function attributesBut(attributes: unknown, name: string): unknown[] {
  return Array.isArray(attributes) ? attributes.filter((each) => each?.key !== name) : [];
}

/** Null when nothing is left of it. */
function withoutTransactions(group: Raw): Raw | null {
  if (!Array.isArray(group.scopeSpans)) return group;
  let [left, gone] = [0, 0];
  const scopeSpans = group.scopeSpans.map((sent) => {
    const scope = asObject(sent) ?? {};
    const all = Array.isArray(scope.spans) ? scope.spans : [];
    const spans = all.filter((span) =>
      textAttribute(asObject(span)?.attributes, TRANSACTION_ID) === null
    );
    left += spans.length;
    gone += all.length - spans.length;
    return { ...scope, spans };
  });
  return left === 0 && gone > 0 ? null : { ...group, scopeSpans };
}

/** The records of such a part as they were. @param records what decoding it as OTLP gave */
export function restored(
  records: readonly TelemetryRecord[],
  { batch: own, timestamp, resource, spans: sent }: RestOf,
): TelemetryRecord[] {
  const batches = records.filter((record) => record.kind === "spans");
  const [first] = batches;
  if (first === undefined) return [];
  const rests = new Map(sent.map((rest) => [rest.spanId, rest]));
  const spans = batches.flatMap(({ spans }) => spans).map((span): Span => ({
    ...span,
    ...rests.get(span.spanId),
  }));
  const segments = new Set(spans.flatMap(({ spanId, isSegment }) => isSegment ? [spanId] : []));
  const earliest = Math.min(...batches.map(({ timestamp }) => timestamp.getTime()));
  // A transaction's spans lie where it begins, which is a little before the first of them.
  const isNear = timestamp <= earliest && timestamp > earliest - MAX_BEFORE_MS;
  const entries = records.flatMap((record) => {
    if (record.kind !== "transaction" || !segments.has(record.spanId)) return [];
    const { transaction: _, batchId: __, ...facts } = own;
    return [{ ...record, ...facts, sentAs: "segment" as const }];
  });
  return [...entries, {
    ...first,
    ...own,
    timestamp: new Date(isNear ? timestamp : earliest),
    resource,
    spans,
  }];
}

const MAX_BEFORE_MS = 24 * 3_600_000;
