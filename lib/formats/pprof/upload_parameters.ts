import { traceLabelOf } from "./label_names.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { clippedName } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { type SenderFacts, withLabels } from "./label_facts.ts";
import { LabelValues } from "./label_values.ts";
import { badParameter } from "./refusals.ts";
import { type TimeRange, timeRange } from "./time_parameter.ts";

/** What the address of an upload says. */
export interface UploadParameters extends SenderFacts, TimeRange {
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly transaction: string;
  readonly kindHint: string;
  readonly labels: LabelValues;
}

/** Parameters of an address as the spool keeps it: path and query. */
export function queryOf({ address }: Pick<DecodeContext, "address">): URLSearchParams {
  return new URL(address, "http://localhost").searchParams;
}

/** Reads the parameters. @throws {Refusal} 400 with the name of the first that can not be read */
export function readUploadParameters(context: DecodeContext): UploadParameters {
  const query = queryOf(context);
  const labels = new LabelValues();
  const ids: LabelIds = { traceId: null, spanId: null };
  for (const [key, value] of labelsIn(query)) addLabel(key, value, labels, ids);
  const stated = {
    service: nameIn(query, "service"),
    environment: nameIn(query, "environment", TEXT.word),
    release: nameIn(query, "release"),
    instance: nameIn(query, "instance"),
  };
  return {
    ...withLabels(stated, labels),
    ...timeRange(query, context.receivedAt),
    traceId: idIn(query, "trace_id", readTraceId, 32) ?? ids.traceId,
    spanId: idIn(query, "span_id", readSpanId, 16) ?? ids.spanId,
    transaction: nameIn(query, "transaction"),
    kindHint: nameIn(query, "type", TEXT.word),
    labels,
  };
}

function nameIn(query: URLSearchParams, name: string, limit: number = TEXT.name): string {
  return clippedName(query.get(name), limit) ?? "";
}

function idIn(
  query: URLSearchParams,
  name: string,
  read: (text: string) => string | undefined,
  digits: number,
): string | null {
  const text = query.get(name)?.trim() ?? "";
  if (text === "") return null;
  const id = read(text);
  if (id === undefined) throw badParameter(name, `is no id of ${digits} hexadecimal digits`);
  return id;
}

/** `labels=a=1,b=2`, any number of times, and `label.c=3`. */
function* labelsIn(query: URLSearchParams): Iterable<readonly [key: string, value: string]> {
  for (const [name, value] of query) {
    if (name.startsWith("label.")) yield [name.slice("label.".length), value];
    if (name !== "labels") continue;
    for (const pair of value.split(",")) {
      if (pair.trim() === "") continue;
      const equals = pair.indexOf("=");
      if (equals < 1) throw badParameter("labels", `has "${pair}", which is not key=value`);
      yield [pair.slice(0, equals), pair.slice(equals + 1)];
    }
  }
}

interface LabelIds {
  traceId: string | null;
  spanId: string | null;
}

/** A label that names a trace says where the whole profile belongs. */
function addLabel(key: string, value: string, labels: LabelValues, ids: LabelIds): void {
  const meaning = traceLabelOf(key);
  if (meaning === "trace_id") ids.traceId ??= readTraceId(value) ?? null;
  else if (meaning !== null) ids.spanId ??= readSpanId(value) ?? null;
  else labels.add(key, value);
}
