/**
 * Numbers that stand for metrics and series, made of what these are: every isolate makes the same ones, and they never
 * change. Two chains of 32 bits, of which 63 bits are kept.
 */
import {
  type Label,
  type Metric,
  type MetricSeries,
  SeriesIdentity,
  type SeriesIds,
} from "../records/metric_batch.ts";

interface MetricHash {
  readonly id: string;
  readonly low: number;
  readonly high: number;
}

const metricHashes = new WeakMap<Metric, MetricHash>();
/** By the list of labels, which decoders keep, then by metric and temporality. */
const seriesIds = new WeakMap<readonly Label[], Map<string, SeriesIds>>();

const LOW_SEED = 0x2f6b1c5d;
const HIGH_SEED = 0x61c88647;
/** Between texts; no UTF-16 code unit is as large. */
const END_OF_TEXT = 0x1_0001;

export function metricIdOf(metric: Metric): string {
  return metricHash(metric).id;
}

/** What tells one series from all others. */
type Identified = Pick<MetricSeries, "metric" | "temporality" | "labels">;

/** The ids of a series and its metric. Asking again for the same labels costs little, for an identity nothing. */
export function idsOf(series: Identified): SeriesIds {
  if (series instanceof SeriesIdentity) return series.ids ??= newIds(series);
  const { labels, temporality, metric } = series;
  let ofLabels = seriesIds.get(labels);
  if (ofLabels === undefined) seriesIds.set(labels, ofLabels = new Map());
  const key = `${temporality}\0${metric.kind}\0${metric.unit}\0${metric.name}`;
  let ids = ofLabels.get(key);
  if (ids === undefined) ofLabels.set(key, ids = newIds(series));
  return ids;
}

function newIds({ metric, temporality, labels }: Identified): SeriesIds {
  const { id, low, high } = metricHash(metric);
  const chain = new Chain(low, high);
  chain.add(temporality);
  for (const label of labels) addLabel(chain, label);
  return { metricId: id, seriesId: chain.id() };
}

/** Sorts by the id of the series. */
export function byId(one: { readonly seriesId: string }, other: { readonly seriesId: string }) {
  return compareIds(one.seriesId, other.seriesId);
}

/** Sorts decimal numbers without leading zeros: the longer one is the larger. */
export function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

function addLabel(chain: Chain, [key, value]: Label): void {
  chain.add(key);
  chain.add(value);
}

function metricHash(metric: Metric): MetricHash {
  let hash = metricHashes.get(metric);
  if (hash === undefined) {
    const chain = new Chain(LOW_SEED, HIGH_SEED);
    chain.add(metric.name);
    chain.add(metric.kind);
    chain.add(metric.unit);
    metricHashes.set(metric, hash = { id: chain.id(), low: chain.low, high: chain.high });
  }
  return hash;
}

class Chain {
  constructor(public low: number, public high: number) {}

  add(text: string): void {
    let { low, high } = this;
    for (let place = 0; place < text.length; place++) {
      const unit = text.charCodeAt(place);
      low = Math.imul(low ^ unit, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ unit, 0x5f356495);
      high ^= high >>> 13;
    }
    this.low = Math.imul(low ^ END_OF_TEXT, 0x9e3779b1);
    this.high = Math.imul(high ^ END_OF_TEXT, 0x5f356495);
  }

  id(): string {
    const low = mix(this.low ^ (this.high >>> 7));
    const high = mix(this.high ^ Math.imul(low, 0x27d4eb2f));
    return ((BigInt(high & 0x7fffffff) << 32n) | BigInt(low >>> 0)).toString();
  }
}

/** Every bit that comes in changes every bit that goes out with even odds. */
function mix(word: number): number {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
