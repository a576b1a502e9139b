import type { ComponentChildren } from "preact";
import { RatingBar } from "../../ui/charts/mod.ts";
import { formatExact, NONE } from "../../ui/format.ts";
import { Change, type ChangeProps } from "../../ui/change.tsx";
import type { VitalStats } from "./load_vitals.ts";
import { RatingBadge } from "./rated.tsx";
import { formatVital, type Rating, ratingOf, type Vital, VITALS } from "./ratings.ts";
import { pageScore, scoreRating } from "./score.ts";

export interface VitalCardsProps {
  readonly vitals: VitalStats;
  /** In the time before. */
  readonly previous: VitalStats;
}

/** The score and the five vitals: what three of four visits do not exceed, and how the visits are spread. */
export function VitalCards({ vitals, previous }: VitalCardsProps) {
  const score = pageScore(vitals);
  return (
    <dl class="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-3">
      <Card
        label="Performance score"
        words="100 is best: the mean over all visits, LCP and INP weighing most"
        value={formatScore(score)}
        rating={scoreRating(score)}
        change={{ now: score, before: pageScore(previous), more: "better" }}
      >
        <p class="text-meta text-muted">
          Of 100, over all visits. From 90 on it is good, below 50 poor.
        </p>
      </Card>
      {VITALS.map((vital) => (
        <VitalCard
          key={vital.name}
          vital={vital}
          vitals={vitals}
          previous={previous}
        />
      ))}
    </dl>
  );
}

/** A score from 0 to 1 as people write it: `87`. */
export function formatScore(score: number | null): string {
  return score === null ? NONE : String(Math.round(score * 100));
}

/** How many of the values are good, need improvement, or are poor. */
export function spreadOf({ good, poor }: Vital, stats: VitalStats, name: string) {
  const sketch = stats.get(name)?.sketch;
  const count = sketch?.count ?? 0;
  const upToGood = Math.round(sketch?.countUpTo(good) ?? 0);
  const upToPoor = Math.round(sketch?.countUpTo(poor) ?? 0);
  return { good: upToGood, needsImprovement: upToPoor - upToGood, poor: count - upToPoor };
}

function VitalCard({ vital, vitals, previous }: VitalCardsProps & { readonly vital: Vital }) {
  const stats = vitals.get(vital.name);
  const p75 = stats?.sketch.quantile(0.75) ?? null;
  const earlier = previous.get(vital.name)?.sketch.quantile(0.75) ?? null;
  return (
    <Card
      label={`${vital.label} (p75)`}
      words={`${vital.words}; ${formatExact(stats?.count ?? 0)} measured`}
      value={formatVital(vital, p75)}
      rating={ratingOf(vital, p75)}
      {...p75 === null ? {} : { change: { now: p75, before: earlier } }}
    >
      {stats === undefined
        ? <p class="text-meta text-muted">Not measured in this time.</p>
        : <RatingBar label={vital.label} unit="visits" {...spreadOf(vital, vitals, vital.name)} />}
    </Card>
  );
}

interface CardProps {
  readonly label: string;
  /** Shown on hover. */
  readonly words: string;
  readonly value: string;
  readonly rating: Rating | null;
  readonly change?: ChangeProps;
  readonly children: ComponentChildren;
}

function Card({ label, words, value, rating, change, children }: CardProps) {
  return (
    <div class="bg-surface px-4 py-3">
      <dt class="text-meta text-muted" title={words}>{label}</dt>
      <dd class="flex flex-wrap items-center gap-x-2">
        <span class="text-lg font-semibold tabular-nums">{value}</span>
        <RatingBadge rating={rating} />
        {change && <Change {...change} />}
      </dd>
      <dd class="mt-2">{children}</dd>
    </div>
  );
}
