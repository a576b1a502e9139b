import { formatDuration, NONE } from "../../ui/format.ts";

/** One of the vitals that browsers measure, with Google's limits. */
export interface Vital {
  /** As it is stored. */
  readonly name: "lcp" | "inp" | "cls" | "fcp" | "ttfb";
  readonly label: string;
  readonly words: string;
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
    words: "Largest contentful paint: when the main content is there",
    unit: "duration",
    good: 2_500,
    poor: 4_000,
  },
  {
    name: "inp",
    label: "INP",
    words: "Interaction to next paint: how long clicks and keys wait for an answer",
    unit: "duration",
    good: 200,
    poor: 500,
  },
  {
    name: "cls",
    label: "CLS",
    words: "Cumulative layout shift: how much the page jumps about",
    unit: "score",
    good: 0.1,
    poor: 0.25,
  },
  {
    name: "fcp",
    label: "FCP",
    words: "First contentful paint: when anything is there",
    unit: "duration",
    good: 1_800,
    poor: 3_000,
  },
  {
    name: "ttfb",
    label: "TTFB",
    words: "Time to first byte: how long the server takes to answer",
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
  return unit === "duration" ? formatDuration(value) : value.toFixed(2);
}
