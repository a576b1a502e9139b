import type { DecodeContext } from "../decode_context.ts";
import type {
  Batch,
  Exemplar,
  Label,
  SeriesIdentity as NumberIdentity,
} from "../../records/mod.ts";
import { clippedName } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { GrowingBatch, type GrowingMetric } from "../metrics/growing_batch.ts";
import { type LabelBook, labelBook, type Labels } from "../metrics/label_book.ts";
import { type Fault, isFault, LIMITS as METRIC_LIMITS } from "../metrics/limits.ts";
import { LIMITS, tooManyItems } from "../otlp/request.ts";
import { type Family, histogramOf, metricOf } from "./families.ts";
import { histogramPoint, type NativeHistogram, type RemoteSample } from "./series_parts.ts";

/** How much of a request was taken, as remote write 2.0 answers it. */
interface Written {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** What a request turns into, and how much of it was taken. */
export interface RemoteWriteBatch extends Batch {
  readonly written: Written;
}

/** What is said of one series. */
interface SentSeries {
  readonly identity: SeriesIdentity | Fault;
  readonly family: Family | null;
  readonly samples: readonly RemoteSample[];
  readonly histograms: readonly NativeHistogram[];
  readonly exemplars: readonly SentExemplar[];
}

/** `Exemplar` of both versions. */
export interface SentExemplar {
  readonly labels: readonly Label[];
  readonly value: number;
  readonly timeMs: number;
}

/** Makes a batch of the series of a request. */
export class SeriesTaker {
  readonly #batch: GrowingBatch;
  readonly #metrics = new Map<string, GrowingMetric>();
  readonly #unwanted = new Map<string, string | null>();
  readonly #written: Written = { samples: 0, histograms: 0, exemplars: 0 };
  readonly #book: LabelBook;
  #room: number = LIMITS.points;

  constructor(private readonly context: DecodeContext) {
    this.#batch = new GrowingBatch(context);
    this.#book = labelBook(context.policy);
  }

  /** Labels as this project wants them stored, and lists of them. */
  get book(): LabelBook {
    return this.#book;
  }

  /** Adds what is said of a series. @throws {Refusal} 413 when it is more than one request may have */
  add(series: SentSeries): void {
    const { identity, samples, histograms } = series;
    const count = samples.length + histograms.length;
    this.#room -= count;
    if (this.#room < 0) throw tooManyItems("points");
    if (isFault(identity)) {
      this.#batch.reject(identity, count);
      return;
    }
    const unwanted = this.#filterOf(identity.release);
    if (unwanted !== null) {
      this.#batch.tally.add("trace_metric", "filtered", unwanted, count);
      this.#count(samples.length, histograms.length, series.exemplars.length);
      return;
    }
    const exemplars = series.exemplars.map(exemplarOf);
    if (histograms.length > 0) this.#addHistograms(identity, series, exemplars);
    if (samples.length > 0 || histograms.length === 0) {
      this.#addNumbers(identity, series, histograms.length > 0 ? [] : exemplars);
    }
    this.#written.exemplars += exemplars.length;
  }

  /** What a series of samples is. */
  numbersOf(identity: SeriesIdentity, family: Family | null): NumberIdentity {
    const { metric } = this.#metric("number", identity, family);
    const temporality = metric.kind === "counter" ? "cumulative" : "level";
    return this.#book.identities(metric, temporality).of(identity.labels);
  }

  /** Adds a sample to a series that {@linkcode numbersOf} gave. @throws {Refusal} as {@linkcode add} */
  addKnown(
    identity: SeriesIdentity,
    series: NumberIdentity,
    timeMs: number,
    value: number,
  ): void {
    if (--this.#room < 0) throw tooManyItems("points");
    const unwanted = this.#filterOf(identity.release);
    if (unwanted !== null) {
      this.#batch.tally.add("trace_metric", "filtered", unwanted);
      this.#count(1, 0, 0);
    } else {
      this.#addSample(identity, series, timeMs, 0, value);
    }
  }

  #addNumbers(
    identity: SeriesIdentity,
    { family, samples }: SentSeries,
    exemplars: readonly Exemplar[],
  ): void {
    const series = this.numbersOf(identity, family);
    const isCounter = series.metric.kind === "counter";
    // Examples that come by themselves say nothing of what a level is.
    if (samples.length === 0 && (exemplars.length === 0 || !isCounter)) return;
    for (const { value, timeMs, startMs, isStale } of samples) {
      // NaN says that there is nothing, as of quantiles without observations.
      if (isStale || Number.isNaN(value)) {
        this.#written.samples++;
        continue;
      }
      this.#addSample(identity, series, timeMs, startMs, value);
    }
    if (exemplars.length === 0) return;
    const timeMs = samples.at(-1)?.timeMs ?? this.#now;
    this.#batch.addExemplars(this.#batch.numbersOf(series), exemplars, timeMs);
  }

  #addSample(
    identity: SeriesIdentity,
    series: NumberIdentity,
    timeMs: number,
    startMs: number,
    value: number,
  ): void {
    const isCounter = series.metric.kind === "counter";
    const fault = this.#batch.timeFault(timeMs) ?? valueFault(value, identity, isCounter);
    if (fault !== null) {
      this.#batch.reject(fault);
      return;
    }
    const isStarted = isCounter && startMs > 0 && startMs <= timeMs;
    this.#batch.addNumber(series, timeMs, isStarted ? startMs : 0, value);
    this.#written.samples++;
  }

  #addHistograms(
    identity: SeriesIdentity,
    { family, histograms }: SentSeries,
    exemplars: readonly Exemplar[],
  ): void {
    const metric = this.#metric("histogram", identity, family);
    const series = metric.histograms("cumulative", identity.labels);
    for (const histogram of histograms) {
      if (histogram.isStale) {
        this.#written.histograms++;
        continue;
      }
      const point = this.#batch.timeFault(histogram.timeMs) ?? histogramPoint(histogram);
      if (isFault(point)) {
        this.#batch.reject(point);
        continue;
      }
      this.#batch.add(series, point);
      this.#written.histograms++;
    }
    this.#batch.addExemplars(series, exemplars, histograms.at(-1)?.timeMs ?? this.#now);
  }

  get #now(): number {
    return this.context.receivedAt.getTime();
  }

  #metric(
    shape: "number" | "histogram",
    { name }: SeriesIdentity,
    family: Family | null,
  ): GrowingMetric {
    const key = `${shape} ${family?.type} ${family?.unit} ${name}`;
    let metric = this.#metrics.get(key);
    if (metric === undefined) {
      const of = shape === "number" ? metricOf : histogramOf;
      metric = this.#batch.metric(of(name, family));
      this.#metrics.set(key, metric);
    }
    return metric;
  }

  #filterOf(release: string): string | null {
    let unwanted = this.#unwanted.get(release);
    if (unwanted === undefined) {
      unwanted = this.context.policy.filterOther(release, this.context);
      this.#unwanted.set(release, unwanted);
    }
    return unwanted;
  }

  #count(samples: number, histograms: number, exemplars: number): void {
    this.#written.samples += samples;
    this.#written.histograms += histograms;
    this.#written.exemplars += exemplars;
  }

  /** All that was taken. */
  finish(): RemoteWriteBatch {
    return { ...this.#batch.finish(), written: this.#written };
  }
}

function valueFault(
  value: number,
  { name }: SeriesIdentity,
  isCounter: boolean,
): Fault | null {
  if (!Number.isFinite(value)) return "not_finite";
  // What is summed up may be negative.
  return isCounter && value < 0 && !name.endsWith("_sum") ? "negative_counter" : null;
}

function exemplarOf({ labels, value, timeMs }: SentExemplar): Exemplar {
  const named = (...names: readonly string[]) => labels.find(([name]) => names.includes(name))?.[1];
  const traceId = readTraceId(named("trace_id", "traceID", "traceId")) ?? null;
  const spanId = readSpanId(named("span_id", "spanID", "spanId")) ?? null;
  return { traceId, spanId, value, timeMs };
}

/** What a series is, without its type. */
export interface SeriesIdentity {
  /** `__name__`. */
  readonly name: string;
  /** `""` when unknown. */
  readonly release: string;
  readonly labels: Labels;
}

/** Prometheus' own labels of a series, and the name. */
const OWN = 20;
/** No series has more. */
const MAX_LABELS = METRIC_LIMITS.labels + OWN;

/** Why a series of so many labels is not even looked at, or null. */
export function countFault(count: number): Fault | null {
  return count > MAX_LABELS ? "too_many_labels" : null;
}

/**
 * Makes the identity of a series: `service` is its own label or `job`, `environment` its own or `env`, `release` its
 * own or `version`, which of `…_info` is that of something else. Labels that begin with two underscores are
 * Prometheus' own.
 *
 * @param labels of the book, scrubbed; of a repeated name the last holds
 * @returns why it can be none
 */
export function seriesIdentity(
  labels: readonly Label[],
  book: LabelBook,
): SeriesIdentity | Fault {
  const fault = countFault(labels.length);
  if (fault !== null) return fault;
  const byName = new Map(labels.map((label) => [label[0], label]));
  const name = byName.get("__name__")?.[1] ?? "";
  if (name.trim() === "") return "no_name";
  if (name.length > METRIC_LIMITS.name) return "name_too_long";
  const first = (limit: number, ...keys: readonly string[]) => {
    const key = keys.find((each) => byName.has(each)) ?? "";
    return clippedName(byName.get(key)?.[1], limit) ?? "";
  };
  const three: readonly Label[] = [
    ["service", first(TEXT.name, "service", "job")],
    ["environment", first(TEXT.word, "environment", "env")],
    ["release", first(TEXT.name, "release", ...name.endsWith("_info") ? [] : ["version"])],
  ];
  for (const [key, value] of three) if (value !== "") byName.set(key, book.label(key, value));
  const list = book.listOf([...byName.values()].filter(([key]) => !key.startsWith("__")));
  return typeof list === "string" ? list : { name, release: three[2]?.[1] ?? "", labels: list };
}
