import { type Message, t } from "../../core/language/translate.ts";
import {
  formatCount,
  formatDateTime,
  formatExact,
  formatExactOf,
  formatInstant,
  formatPercent,
  formatRelative,
  formatUtc,
  NONE,
} from "../format.ts";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

interface CountProps {
  /** null prints a dash. */
  readonly value: number | null;
  /** For the exact value on hover and for screen readers: a message with plurals, such as `{n} event|{n} events`. */
  readonly unit?: Message;
}

/** A count in short form with the exact value on hover. */
export function Count({ value, unit }: CountProps) {
  const exact = unit && value !== null ? formatExactOf(value, unit) : formatExact(value);
  return <span class="tabular-nums" title={exact}>{formatCount(value)}</span>;
}

interface ExactTimeProps {
  readonly date: Date;
  /** What is known beyond the date's milliseconds; with it the time has all its digits. */
  readonly nanos?: number;
}

/** A time written out in UTC, how long ago on hover; the page's script adds the viewer's own zone. */
export function ExactTime({ date, nanos }: ExactTimeProps) {
  return (
    <time
      datetime={date.toISOString()}
      title={`${formatRelative(date)}\n${exactTitle(date)}`}
      data-exact=""
      class="whitespace-nowrap tabular-nums"
    >
      {nanos === undefined ? formatDateTime(date) : formatInstant(date, nanos)}
    </time>
  );
}

interface RelativeTimeProps {
  /** null prints a dash. */
  readonly date: Date | null;
  /** Moment to count from, for tests. @default now */
  readonly now?: Date;
}

/**
 * `3 min ago`, with the exact time on hover. The page's script (`islands/PageLife.tsx`) finds it by
 * `data-relative`, keeps it current and adds the viewer's own zone to the hover text.
 */
export function RelativeTime({ date, now }: RelativeTimeProps) {
  if (date === null) return <span>{NONE}</span>;
  return (
    <time
      datetime={date.toISOString()}
      title={exactTitle(date)}
      data-relative=""
      class="whitespace-nowrap"
    >
      {formatRelative(date, now)}
    </time>
  );
}

/** The time in the reader's zone, and in UTC where that is another. */
function exactTitle(date: Date): string {
  const [own, utc] = [formatDateTime(date), formatUtc(date)];
  return own === utc ? own : `${own}\n${utc}`;
}

interface FigureProps {
  readonly label: string;
  /** With its unit. */
  readonly value: ComponentChildren;
  /** The exact value, or what the figure means; shown on hover. */
  readonly title?: string;
  /** Against the time before. */
  readonly change?: ChangeProps;
}

/** The figures that a page begins with. */
export function FigureStrip({ figures }: { readonly figures: readonly FigureProps[] }) {
  // Beside a time of which nothing is stored, saying so six times tells less than saying nothing.
  const compares = figures.some(({ change }) => change && change.before);
  return (
    <dl class="figure-strip grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      {figures.map(({ label, value, title, change }) => (
        <div key={label} class="bg-surface px-4 py-3" title={title}>
          <dt class="text-meta text-muted">{label}</dt>
          <dd class="text-lg font-semibold tabular-nums">{value}</dd>
          {compares && change && (
            <dd>
              <Change {...change} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

export interface ChangeProps {
  readonly now: number | null;
  readonly before: number | null;
  /** What more of it means. @default "worse" */
  readonly more?: "worse" | "better" | "neither";
}

/** Smaller changes are noise. */
const NOTABLE = 0.05;
/** Beyond this a percentage says nothing any more. */
const MOST = 10;

/** By how much a figure changed against the time before, in words, with an arrow. */
export function Change({ now, before, more = "worse" }: ChangeProps) {
  if (now === null || before === null || before === 0) {
    return <span class="text-meta text-muted">{t("no comparison")}</span>;
  }
  const change = now / before - 1;
  const isNotable = Math.abs(change) >= NOTABLE;
  const isWorse = (more === "worse") === (change > 0);
  const tone = !isNotable || more === "neither"
    ? "text-muted"
    : isWorse
    ? "text-danger"
    : "text-ok";
  return (
    <span class={`inline-flex items-center gap-0.5 text-meta tabular-nums ${tone}`}>
      {isNotable && <Icon name={change > 0 ? "sort-up" : "sort-down"} size={12} />}
      {isNotable ? changeWords(change) : t("about the same")}
    </span>
  );
}

/** @param change 0 is the same, 1 twice as much */
function changeWords(change: number): string {
  if (change > MOST) return t("over {times} times more", { times: MOST });
  const size = formatPercent(Math.abs(change));
  return change > 0 ? t("{size} more", { size }) : t("{size} less", { size });
}

interface ShareOfProps {
  /** 0 to 1. */
  readonly share: number;
  /** What the share is of, in words. */
  readonly title: string;
  /** The figure itself. */
  readonly children: ComponentChildren;
}

const WIDTH = 48;

/** A figure with a bar that shows how much of the whole it is. */
export function ShareOf({ share, title, children }: ShareOfProps) {
  return (
    <span class="inline-flex items-center justify-end gap-2" title={title}>
      {children}
      <svg width={WIDTH} height="6" aria-hidden="true" class="max-sm:hidden">
        <rect width={WIDTH} height="6" rx="1" class="fill-sunken" />
        <rect
          width={Math.min(1, Math.max(0, share)) * WIDTH}
          height="6"
          rx="1"
          class="fill-series-1"
        />
      </svg>
    </span>
  );
}

/** From this share on people should look. */
const ALARMING = 0.05;

/** A share of failures, 0 to 1; a high one is marked by more than its colour. */
export function FailureShare({ rate }: { readonly rate: number | null }) {
  const isAlarming = rate !== null && rate >= ALARMING;
  return (
    <span
      class={isAlarming
        ? "inline-flex items-center gap-1 text-danger"
        : rate === 0
        ? "text-muted"
        : undefined}
    >
      {isAlarming && <Icon name="warning" size={12} />}
      {formatPercent(rate)}
    </span>
  );
}
