import type { PprofLabel } from "../pprof/encode.ts";
import type { Json } from "../json.ts";
import { isSpanId, isTraceId } from "./span_checks.ts";
import type { OtlpDictionary, OtlpSample } from "./profiles_model_2.ts";

/** Makes labels of what samples name in the dictionary. */
export class Labels {
  readonly #attributes = new Map<number, readonly PprofLabel[]>();

  constructor(private readonly dictionary: OtlpDictionary) {}

  /** Labels of a sample: its attributes, and the trace and span that it is linked to. */
  of({ attributes, link }: OtlpSample): PprofLabel[] {
    return [...attributes.flatMap((place) => this.#attribute(place)), ...this.#link(link)];
  }

  #attribute(place: number): readonly PprofLabel[] {
    let labels = this.#attributes.get(place);
    if (labels === undefined) {
      const { attributes, texts } = this.dictionary;
      const { key, value, unit } = attributes[place] ?? { key: 0, value: null, unit: 0 };
      labels = labelsOf(texts[key] ?? "", value, texts[unit] ?? "");
      this.#attributes.set(place, labels);
    }
    return labels;
  }

  #link(place: number): PprofLabel[] {
    const { traceId, spanId } = this.dictionary.links[place] ?? { traceId: "", spanId: "" };
    if (place === 0 || !isTraceId(traceId)) return [];
    const trace = { key: "trace_id", text: traceId };
    return isSpanId(spanId) ? [trace, { key: "span_id", text: spanId }] : [trace];
  }
}

/** None for what has no name or says nothing. */
function labelsOf(key: string, value: Json, unit: string): PprofLabel[] {
  if (key === "" || value === null) return [];
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return [{ key, number: BigInt(value), unit }];
  }
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text === "" ? [] : [{ key, text }];
}
