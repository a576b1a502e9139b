import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import type { PageScope } from "../../releases/request_scope.ts";
import { NO_STATS } from "../../store/stats/stats.ts";
import { RatingBar } from "../../ui/charts/mod.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { Change, type ChangeProps } from "../../ui/components/values.tsx";
import { NONE } from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { DEFAULT_RANGE, isNarrowed, type Scope, scopedHref } from "../../ui/scope.ts";
import type { VitalStats } from "./load_vitals.ts";
import {
  formatVital,
  pageScore,
  type Rating,
  ratingOf,
  scoreRating,
  type Vital,
  VITALS,
} from "./vital_scores.ts";

interface VitalCardsProps {
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
        label={t("Performance score")}
        words={t("100 is best: the mean over all visits, LCP and INP weighing most")}
        value={formatScore(score)}
        rating={scoreRating(score)}
        change={{ now: score, before: pageScore(previous), more: "better" }}
      >
        <p class="text-meta text-muted">
          {t("Of 100, over all visits. From 90 on it is good, below 50 poor.")}
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
function spreadOf({ good, poor }: Vital, stats: VitalStats, name: string) {
  const sketch = stats.get(name)?.sketch;
  const count = sketch?.count ?? 0;
  const upToGood = Math.round(sketch?.countUpTo(good) ?? 0);
  const upToPoor = Math.round(sketch?.countUpTo(poor) ?? 0);
  return { good: upToGood, needsImprovement: upToPoor - upToGood, poor: count - upToPoor };
}

/** What a vital is, and how often it was measured. */
function measuredWords({ words }: Vital, count: number): string {
  return `${t(words)}; ${t("{n} measured", { n: count })}`;
}

function VitalCard({ vital, vitals, previous }: VitalCardsProps & { readonly vital: Vital }) {
  const stats = vitals.get(vital.name);
  const p75 = stats?.sketch.quantile(0.75) ?? null;
  const earlier = previous.get(vital.name)?.sketch.quantile(0.75) ?? null;
  return (
    <Card
      label={`${vital.label} (p75)`}
      words={measuredWords(vital, stats?.count ?? 0)}
      value={formatVital(vital, p75)}
      rating={ratingOf(vital, p75)}
      {...p75 === null ? {} : { change: { now: p75, before: earlier } }}
    >
      {stats === undefined
        ? <p class="text-meta text-muted">{t("Not measured in this time.")}</p>
        : (
          <RatingBar
            label={vital.label}
            unit="{n} visit|{n} visits"
            {...spreadOf(vital, vitals, vital.name)}
          />
        )}
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

const LOOKS: Readonly<
  Record<Rating, { readonly tone: Tone; readonly ink: string; readonly icon: IconName }>
> = {
  good: { tone: "ok", ink: "text-ok", icon: "ok" },
  "needs improvement": { tone: "warning", ink: "text-warning", icon: "warning" },
  poor: { tone: "danger", ink: "text-danger", icon: "error" },
};

/** A rating as a word with its shape; nothing for null. */
export function RatingBadge({ rating }: { readonly rating: Rating | null }) {
  if (rating === null) return null;
  const { tone, icon } = LOOKS[rating];
  return <Badge tone={tone} icon={icon}>{t(rating)}</Badge>;
}

interface RatedProps {
  readonly rating: Rating | null;
  /** Shown on hover. */
  readonly title?: string;
  /** The value. */
  readonly children: ComponentChildren;
}

/** A value with its rating below, for tables. */
export function Rated({ rating, title, children }: RatedProps) {
  if (rating === null) return <span class="text-muted" title={title}>{children}</span>;
  const { ink, icon } = LOOKS[rating];
  return (
    <span class="block" title={title}>
      {children}
      <span class={`flex items-center justify-end gap-0.5 text-meta ${ink}`}>
        <Icon name={icon} size={12} />
        {t(rating)}
      </span>
    </span>
  );
}

interface VitalStripProps {
  readonly project: { readonly id: string };
  readonly scope: Scope;
  readonly vitals: VitalStats;
}

/** The web vitals of all pages: what three of four visits do not exceed, and how good that is. */
export function VitalStrip({ project, scope, vitals }: VitalStripProps) {
  return (
    <Panel
      title={t("Web Vitals")}
      description={t("Three of four visits are at least this good (p75).")}
      actions={
        <a class="link text-sm" href={scopedHref(sectionPath(project.id, "web-vitals"), scope)}>
          {t("By page")}
        </a>
      }
    >
      <dl class="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-4">
        {VITALS.map((vital) => {
          const { sketch, count } = vitals.get(vital.name) ?? NO_STATS;
          const value = sketch.quantile(0.75);
          return (
            <div key={vital.name} title={measuredWords(vital, count)}>
              <dt class="text-meta text-muted">{vital.label}</dt>
              <dd class="text-lg font-semibold tabular-nums">{formatVital(vital, value)}</dd>
              <dd>
                <RatingBadge rating={ratingOf(vital, value)} />
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}

const SNIPPET = (dsn: string) =>
  `import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1.0,
});`;

interface NoVitalsProps {
  readonly pageScope: PageScope;
  /** Of a browser's key; null where a search narrows the list, or a single page is asked for. */
  readonly dsn: string | null;
}

/** In place of vitals: why there are none, and how browsers come to send them. */
export function NoVitals({ pageScope, dsn }: NoVitalsProps) {
  const { project, scope } = pageScope;
  if (dsn === null || isNarrowed(scope) || scope.services.length > 0) {
    return (
      <EmptyState
        icon="search"
        title={t("No pages match")}
        actions={
          <LinkButton href={sectionPath(project.id, "web-vitals")}>
            {t("Show all pages of the last 14 days")}
          </LinkButton>
        }
      >
        {t("Nothing was measured in this time and scope that is asked for.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="vitals"
      title={t("No Web Vitals in this time")}
      actions={
        <>
          <LinkButton href={sectionPath(project.id, "setup")}>
            {t("Open the setup page")}
          </LinkButton>
          {scope.range !== DEFAULT_RANGE && (
            <LinkButton href={sectionPath(project.id, "web-vitals")}>
              {t("Look at the last 14 days")}
            </LinkButton>
          )}
        </>
      }
    >
      {t(
        "Browsers measure them, and Sentry's browser SDKs send them once tracing of page loads is turned on:",
      )}
      <div class="mt-3 text-left">
        <CodeBlock
          id="vitals-snippet"
          label={t("How to turn browser tracing on")}
          language="javascript"
          code={SNIPPET(dsn)}
        />
      </div>
      <p class="mt-3">
        {t("LCP, CLS and INP arrive when a visitor leaves the page or hides it.")}
      </p>
    </EmptyState>
  );
}
