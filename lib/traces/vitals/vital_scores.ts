import { type Message, message } from "../../core/language/translate.ts";
import { middleOf, type Sketch } from "../../store/stats/sketch.ts";
import type { Stats } from "../../store/stats/stats.ts";
import { formatDuration, NONE, withDecimalMark } from "../../ui/format.ts";

/** One of the vitals that browsers measure, with Google's limits. */
export interface Vital {
  /** As it is stored. */
  readonly name: "lcp" | "inp" | "cls" | "fcp" | "ttfb";
  readonly label: "LCP" | "INP" | "CLS" | "FCP" | "TTFB";
  readonly words: Message;
  /** Milliseconds, or a score without unit. */
  readonly unit: "duration" | "score";
  /** Up to here it is good. */
  readonly good: number;
  /** Above this it is poor. */
  readonly poor: number;
}

export const VITALS: readonly Vital[] = [
  {
    name: "lcp",
    label: "LCP",
    words: message("Largest contentful paint: when the main content is there"),
    unit: "duration",
    good: 2_500,
    poor: 4_000,
  },
  {
    name: "inp",
    label: "INP",
    words: message("Interaction to next paint: how long clicks and keys wait for a response"),
    unit: "duration",
    good: 200,
    poor: 500,
  },
  {
    name: "cls",
    label: "CLS",
    words: message("Cumulative layout shift: how much the page jumps about"),
    unit: "score",
    good: 0.1,
    poor: 0.25,
  },
  {
    name: "fcp",
    label: "FCP",
    words: message("First contentful paint: when anything is there"),
    unit: "duration",
    good: 1_800,
    poor: 3_000,
  },
  {
    name: "ttfb",
    label: "TTFB",
    words: message("Time to first byte: how long the server takes to respond"),
    unit: "duration",
    good: 800,
    poor: 1_800,
  },
];

export type Rating = "good" | "needs improvement" | "poor";

/** How good a value is; null without one. */
export function ratingOf({ good, poor }: Vital, value: number | null): Rating | null {
  if (value === null) return null;
  return value <= good ? "good" : value <= poor ? "needs improvement" : "poor";
}

/** A value with its unit: `1.32 s`, and scores as `0.12`. */
export function formatVital({ unit }: Vital, value: number | null): string {
  if (value === null) return NONE;
  return unit === "duration" ? formatDuration(value) : withDecimalMark(value.toFixed(2));
}

// The performance score, as Sentry and Lighthouse have it: each vital is scored on a log-normal curve, and a page has
// the weighted mean of the vitals that were measured on it.

type VitalName = Vital["name"];

interface Curve {
  readonly weight: number;
  /** The value that scores 0.9. */
  readonly p10: number;
  /** The value that scores 0.5. */
  readonly p50: number;
}

const CURVES: Readonly<Record<VitalName, Curve>> = {
  lcp: { weight: 0.3, p10: 1_200, p50: 2_400 },
  inp: { weight: 0.3, p10: 200, p50: 500 },
  cls: { weight: 0.15, p10: 0.1, p50: 0.25 },
  fcp: { weight: 0.15, p10: 900, p50: 1_600 },
  ttfb: { weight: 0.1, p10: 200, p50: 400 },
};
/** The inverse of the complementary error function at 0.2, which puts `p10` at 0.9. */
const INVERSE_ERFC = 0.9061938024368232;

/** What one value scores, from 0 to 1. */
export function scoreOf(name: VitalName, value: number): number {
  const { p10, p50 } = CURVES[name];
  if (value <= 0) return 1;
  const spread = Math.abs(Math.log(p10) - Math.log(p50)) / INVERSE_ERFC;
  return 0.5 * (1 - erf((Math.log(value) - Math.log(p50)) / spread));
}

/** What the middles of buckets score, by vital and place: hundreds of pages have the same few hundred buckets. */
const SCORES = new Map<VitalName, Map<number, number>>(VITALS.map(({ name }) => [name, new Map()]));

/** The mean of what all values score; null without any. */
export function meanScore(name: VitalName, sketch: Sketch): number | null {
  const scores = SCORES.get(name);
  return sketch.meanOf((place) => {
    if (place === null) return scoreOf(name, 0);
    const known = scores?.get(place);
    if (known !== undefined) return known;
    const score = scoreOf(name, middleOf(place));
    scores?.set(place, score);
    return score;
  });
}

/**
 * The score of a page over all its visits, from 0 to 1; null where no vital was measured.
 *
 * @param stats by name of the vital
 */
export function pageScore(stats: ReadonlyMap<string, Pick<Stats, "sketch">>): number | null {
  let sum = 0;
  let weights = 0;
  for (const { name } of VITALS) {
    const found = stats.get(name);
    const score = found === undefined ? null : meanScore(name, found.sketch);
    if (score === null) continue;
    const { weight } = CURVES[name];
    sum += weight * score;
    weights += weight;
  }
  return weights === 0 ? null : sum / weights;
}

/** How good a score is; null without one. */
export function scoreRating(score: number | null): Rating | null {
  if (score === null) return null;
  return score >= 0.9 ? "good" : score >= 0.5 ? "needs improvement" : "poor";
}

/** The error function, right to seven digits (Abramowitz and Stegun 7.1.26). */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
    .reduce((sum, factor) => (sum + factor) * t, 0);
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}
