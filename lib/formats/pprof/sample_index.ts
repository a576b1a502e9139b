import { isReservedLabel, spanIdOf, traceIdOf, traceLabelOf } from "./label_names.ts";
import type { PprofProfile } from "./profile.ts";
import { defaultTypeOf, type ProfileValue } from "./sample_types.ts";
import type { ProfiledTrace } from "../../records/mod.ts";
import { clampedInt64 } from "./int64.ts";
import { LabelValues } from "./label_values.ts";

/** Beyond them, those with the smallest share of the profile are found by reading it only. */
const MAX_TRACES = 1_000;
/** Of so many the heaviest are looked for: a profile may name another one in every sample. */
const MAX_COUNTED = 20_000;
/** Values of one label that are looked at; a tenth of them is kept. */
const MAX_SEEN = 1_000;

/** What the index tells of a profile's samples. */
export interface SampleIndex {
  /** Texts that samples are labelled with, but ids of traces. */
  readonly labels: LabelValues;
  /** The traces and spans that samples name, those with the largest share first. */
  readonly traces: readonly ProfiledTrace[];
}

interface Place {
  readonly traceId: string;
  readonly spanId: string | null;
  readonly totals: bigint[];
}

/**
 * Reads the labels of all samples.
 *
 * @param values the types whose sums are asked for
 * @param traceId the trace of the whole profile, which samples belong to that name a span only
 */
export function indexSamples(
  profile: PprofProfile,
  values: readonly ProfileValue[],
  traceId: string | null,
): SampleIndex {
  const reader = new LabelReader(profile);
  const places = new Map<string, Place>();
  for (let sample = 0; sample < profile.samples.count; sample++) {
    const named = reader.read(sample);
    const trace = named.traceId ?? (named.spanId === null ? null : traceId);
    if (trace === null) continue;
    const key = `${trace}/${named.spanId}`;
    let place = places.get(key);
    if (place === undefined) {
      if (places.size >= MAX_COUNTED) continue;
      place = { traceId: trace, spanId: named.spanId, totals: values.map(() => 0n) };
      places.set(key, place);
    }
    addValues(place.totals, profile, sample, values);
  }
  return { labels: reader.labels, traces: heaviest([...places.values()], profile, values) };
}

function addValues(
  totals: bigint[],
  { sampleTypes, samples }: PprofProfile,
  sample: number,
  values: readonly ProfileValue[],
): void {
  for (const [place, { index, factor }] of values.entries()) {
    const value = samples.values[sample * sampleTypes.length + index] ?? 0n;
    totals[place] = (totals[place] ?? 0n) + value * factor;
  }
}

function heaviest(
  places: readonly Place[],
  profile: PprofProfile,
  values: readonly ProfileValue[],
): ProfiledTrace[] {
  const preferred = defaultTypeOf(profile);
  const found = values.findIndex(({ type, unit }) =>
    type === preferred.type && unit === preferred.unit
  );
  return places.map((place) => ({ place, weight: Number(place.totals.at(found) ?? 0n) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_TRACES)
    .map(({ place }) => ({ ...place, totals: place.totals.map(clampedInt64) }));
}

interface Named {
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** Reads labels one sample at a time. What keys mean is looked up once each. */
class LabelReader {
  readonly labels = new LabelValues();
  readonly #meanings = new Map<number, ReturnType<typeof traceLabelOf>>();
  /** For each key, the values that are among the labels already. */
  readonly #seen = new Map<number, Set<number>>();
  readonly #traceIds = new IdCache(traceIdOf);
  readonly #spanIds = new IdCache(spanIdOf);

  constructor(private readonly profile: PprofProfile) {}

  /** The trace and the span that a sample names. */
  read(sample: number): Named {
    const { starts, keys, texts, numbers } = this.profile.samples.labels;
    let traceId: string | null = null;
    let spanId: string | null = null;
    const end = starts[sample + 1] ?? 0;
    for (let label = starts[sample] ?? 0; label < end; label++) {
      const key = keys[label] ?? 0;
      const text = texts[label] ?? 0;
      const meaning = this.#meaningOf(key);
      if (meaning === null) {
        if (text !== 0) this.#keep(key, text);
        continue;
      }
      const ids = meaning === "trace_id" ? this.#traceIds : this.#spanIds;
      const id = text === 0 ? ids.ofNumber(numbers[label] ?? 0n) : ids.ofText(text, this.profile);
      if (meaning === "trace_id") traceId ??= id;
      // Pyroscope's older clients call the span's id `profile_id`.
      else spanId ??= id;
    }
    return { traceId, spanId };
  }

  #meaningOf(key: number): ReturnType<typeof traceLabelOf> {
    let meaning = this.#meanings.get(key);
    if (meaning === undefined) {
      meaning = traceLabelOf(this.#string(key));
      this.#meanings.set(key, meaning);
    }
    return meaning;
  }

  #keep(key: number, text: number): void {
    let seen = this.#seen.get(key);
    if (seen === undefined) this.#seen.set(key, seen = new Set());
    if (seen.size >= MAX_SEEN || seen.has(text)) return;
    seen.add(text);
    const name = this.#string(key);
    if (!isReservedLabel(name)) this.labels.add(name, this.#string(text));
  }

  #string(place: number): string {
    return this.profile.strings[place] ?? "";
  }
}

/** Reads ids, each spelling once. */
class IdCache {
  readonly #ofTexts = new Map<number, string | null>();

  constructor(private readonly read: (value: string | bigint) => string | null) {}

  ofNumber(number: bigint): string | null {
    return this.read(number);
  }

  /** @param place among the profile's strings */
  ofText(place: number, { strings }: PprofProfile): string | null {
    let id = this.#ofTexts.get(place);
    if (id === undefined) {
      id = this.read(strings[place] ?? "");
      if (this.#ofTexts.size < MAX_COUNTED) this.#ofTexts.set(place, id);
    }
    return id;
  }
}
