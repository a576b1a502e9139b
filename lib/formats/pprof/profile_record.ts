import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import type { DecodeContext } from "../decode_context.ts";
import type { Profile, ProfiledTrace, ProfileTotal } from "../../records/mod.ts";
import { blobKey } from "../ids.ts";
import { isReservedLabel, LabelValues, spanIdOf, traceIdOf, traceLabelOf } from "./labels.ts";
import type { PprofProfile } from "./profile.ts";
import {
  defaultTypeOf,
  profileKindOf,
  type ProfileValue,
  typeId,
  valueTypesOf,
} from "./sample_types.ts";

type Lists = Readonly<Record<string, readonly string[]>>;

/** What a client says of a profile beside the profile. Texts are `""` when it says nothing. */
export interface ProfileFacts
  extends Pick<DecodeContext, "projectId" | "receivedAt" | "retentionDays" | "policy"> {
  /** 32 lower-case hex digits, the same again for the same profile. */
  readonly profileId: string;
  readonly source: Profile["source"];
  /** The pprof, gzip-compressed: what is stored. */
  readonly bytes: Uint8Array;
  /** The item as an SDK sent it, gzip-compressed. */
  readonly original?: Uint8Array | null | undefined;
  readonly service: string;
  readonly instance: string;
  /** `""`: what the files of its functions tell. */
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction?: string | undefined;
  readonly transactionId?: string | null | undefined;
  /** What the whole profile belongs to. */
  readonly traceId?: string | null | undefined;
  readonly spanId?: string | null | undefined;
  readonly profilerId?: string | null | undefined;
  /** What it tells of in the client's word, such as `mutex`. */
  readonly kindHint?: string | undefined;
  /** When it began and ended as the client says, which goes before what the profile says. */
  readonly from?: Date | null | undefined;
  readonly until?: Date | null | undefined;
  /** @default whether the profile has a duration */
  readonly isDelta?: boolean | undefined;
  readonly labels?: Lists | undefined;
}

/** Makes the record of a profile: what its index needs, counted over the samples, and what is stored of it. */
export function profileRecord(profile: PprofProfile, facts: ProfileFacts): Profile {
  const { projectId, profileId, receivedAt } = facts;
  const values = valueTypesOf(profile);
  const timestamp = startOf(profile, facts).time;
  const traceId = facts.traceId ?? null;
  const samples = indexSamples(profile, values, traceId);
  // By its own day and not that of receipt: the same profile sent again on another day replaces its own bytes.
  const key = blobKey("profiles", projectId, timestamp, profileId);
  return {
    kind: "profile",
    profileId,
    source: facts.source,
    profileKind: profileKindOf(profile, facts.kindHint ?? ""),
    timestamp,
    receivedAt,
    environment: facts.environment,
    release: facts.release,
    traceId,
    spanId: facts.spanId ?? null,
    service: facts.service,
    instance: facts.instance,
    platform: facts.platform || platformOf(profile),
    durationMs: durationMsOf(profile, facts),
    periodType: profile.periodType === null ? "" : typeId(profile.periodType),
    period: profile.period,
    samples: profile.samples.count,
    totals: values.map((value) => totalOf(profile, value)),
    isDelta: facts.isDelta ?? profile.durationNanos > 0n,
    labels: labelsOf(facts, samples.labels),
    traces: samples.traces,
    transaction: facts.transaction ?? "",
    transactionId: facts.transactionId ?? null,
    profilerId: facts.profilerId ?? null,
    blob: { key, bytes: facts.bytes },
    original: facts.original ? { key: `${key}.original`, bytes: facts.original } : null,
  };
}

function totalOf(
  { sampleTypes, samples }: PprofProfile,
  { type, unit, index, factor }: ProfileValue,
): ProfileTotal {
  let sum = 0n;
  for (let at = index; at < samples.values.length; at += sampleTypes.length) {
    sum += samples.values[at] ?? 0n;
  }
  return { type, unit, total: clampedInt64(sum * factor) };
}

/** Those of the client go before those of the samples when there are too many. */
function labelsOf({ labels: own = {}, policy }: ProfileFacts, ofSamples: LabelValues): Lists {
  const all = new LabelValues();
  for (const [key, values] of Object.entries(own)) {
    for (const value of values) all.add(key, value);
  }
  all.addAll(ofSamples);
  return all.scrubbed(policy);
}

/** Beyond them, those with the smallest share of the profile are found by reading it only. */
const MAX_TRACES = 1_000;
/** Of so many the heaviest are looked for: a profile may name another one in every sample. */
const MAX_COUNTED = 20_000;
/** Values of one label that are looked at; a tenth of them is kept. */
const MAX_SEEN = 1_000;

/** What the index tells of a profile's samples. */
interface SampleIndex {
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
  if (profile.samples.labels.keys.length === 0) return { labels: reader.labels, traces: [] };
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
  if (places.length === 0) return [];
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

const MAX_AHEAD_MS = 10 * MINUTE_MS;
const NANOS_A_MS = 1e6;

type Times = Pick<PprofProfile, "timeNanos" | "durationNanos">;

/** What is known of a profile's time beside what it says itself. */
interface TimeFacts {
  readonly receivedAt: Date;
  readonly retentionDays: number;
  readonly from?: Date | null | undefined;
  readonly until?: Date | null | undefined;
}

interface ProfileStart {
  readonly time: Date;
  /** It was no time that a profile can have, and is that of receipt now. */
  readonly isReplaced: boolean;
}

/**
 * When a profile began: as its client says, else as the profile does. Clocks of 1970, those more than ten minutes
 * ahead, and what is older than the retention become the time of receipt.
 */
export function startOf(profile: Times, facts: TimeFacts): ProfileStart {
  const { receivedAt, retentionDays } = facts;
  const start = statedStart(profile, facts);
  const now = receivedAt.getTime();
  const isPlausible = start > 0 && start <= now + MAX_AHEAD_MS &&
    start >= now - retentionDays * DAY_MS;
  return { time: new Date(isPlausible ? start : now), isReplaced: !isPlausible };
}

/** In milliseconds since 1970; 0 when nobody says. */
function statedStart(profile: Times, { from, until }: TimeFacts): number {
  if (from) return from.getTime();
  if (profile.timeNanos > 0n) return Number(profile.timeNanos) / NANOS_A_MS;
  return until ? until.getTime() - plausibleMs(profile) : 0;
}

/** How long a profile covers, in milliseconds: as it says, else as its client does; 0 when unknown. */
function durationMsOf(profile: Times, { from, until }: TimeFacts): number {
  const own = plausibleMs(profile);
  if (own > 0 || !from || !until) return own;
  const stated = until.getTime() - from.getTime();
  return stated >= 0 && stated <= DAY_MS ? stated : 0;
}

/** Some converters write durations of years. */
function plausibleMs({ durationNanos }: Times): number {
  const ms = Number(durationNanos) / NANOS_A_MS;
  return ms >= 0 && ms <= DAY_MS ? ms : 0;
}

const PLATFORMS: readonly (readonly [files: RegExp, platform: string])[] = [
  [/\.go$/, "go"],
  [/^node:|\.[cm]?[jt]sx?$/, "node"],
  [/\.pyx?$/, "python"],
  [/\.rb$/, "ruby"],
  [/\.rs$/, "rust"],
  [/\.php$/, "php"],
  [/\.(?:cs|fs|vb)$/, "csharp"],
  [/\.(?:java|kt|scala)$/, "java"],
  [/\.(?:c|cc|cpp|cxx|h|hpp|s)$/i, "native"],
];

/** So many functions tell as much as all of them. */
const ASKED = 500;

/** The platform that most functions are written for, by their files; `other` when none tells. */
function platformOf({ functions, strings }: PprofProfile): string {
  const counts = new Map<string, number>();
  const known = new Map<string, string | undefined>();
  let last = "";
  const step = Math.max(1, Math.floor(functions.count / ASKED));
  for (let index = 0; index < functions.count; index += step) {
    const file = strings[functions.filenames[index] ?? 0] ?? "";
    // What tells is the ending, of which a program has a few, but for the modules of Node's own.
    const isLast = last !== "" && file.endsWith(last) && !file.startsWith(NODE);
    const ending = isLast ? last : endingOf(file);
    if (!known.has(ending)) {
      known.set(ending, PLATFORMS.find(([files]) => files.test(ending))?.[1]);
    }
    const found = known.get(ending);
    last = ending === NODE ? "" : ending;
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  // Every runtime is written in C somewhere.
  if (counts.size > 1) counts.delete("native");
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? "other";
}

const NODE = "node:";

/** From the last dot on, or `""`. */
function endingOf(file: string): string {
  if (file.startsWith(NODE)) return NODE;
  const dot = file.lastIndexOf(".");
  return dot < 0 ? "" : file.slice(dot);
}

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** The nearest whole number that Postgres can hold in a `bigint`: sums of many samples may pass it. */
function clampedInt64(value: bigint): bigint {
  if (value > MAX) return MAX;
  return value < MIN ? MIN : value;
}
