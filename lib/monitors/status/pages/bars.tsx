/** A bar for each of the last 90 days, with the same in words. */
import { t } from "@/lib/core/language/translate.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { dayOf, DAYS, type DaySeconds, type EntryState } from "../days.ts";

/** In the picture's own units; it is stretched to the width of the page. */
const STEP = 4;
const WIDTH = 3;
const HEIGHT = 30;
/** Of days of which nothing is known: the shape tells as well as the colour. */
const LOW = 8;

interface BarsProps {
  /** Of the monitor. */
  readonly name: string;
  readonly days: readonly (DaySeconds | null)[];
  /** The day of the first bar. */
  readonly from: Date;
}

/** Days that were fine are one shape; each other one tells what was when it is pointed at. */
export function Bars({ name, days, from }: BarsProps) {
  const told = days.map((seconds, place) => ({ place, ...dayOf(seconds) }));
  const dateOf = (place: number) =>
    new Date(from.getTime() + place * DAY_MS).toISOString().slice(0, 10);
  const troubled = told.filter(({ kind }) => kind === "down" || kind === "degraded").reverse();
  const known = days.filter((seconds) => seconds !== null).length;
  const label = troubled.length === 0
    ? t("{name}, last {days} days: {known} measured, none with trouble", {
      name,
      days: DAYS,
      known,
    })
    : t("{name}, last {days} days: {known} measured, {n} with trouble, listed below", {
      name,
      days: DAYS,
      known,
      n: troubled.length,
    });
  const shape = (kind: EntryState) =>
    told.filter((day) => day.kind === kind)
      .map(({ place }) => barAt(place, kind === "unknown" ? LOW : HEIGHT)).join("");
  return (
    <>
      <svg
        viewBox={`0 0 ${DAYS * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {(["up", "unknown", "maintenance"] as const).map((kind) => (
          shape(kind) !== "" && <path key={kind} class={kind} d={shape(kind)} />
        ))}
        {troubled.map(({ place, kind, words }) => (
          <path key={place} class={kind} d={barAt(place, HEIGHT)}>
            <title>{`${dateOf(place)}: ${words}`}</title>
          </path>
        ))}
      </svg>
      <div class="ends" aria-hidden="true">
        <span>{t("{n} day ago|{n} days ago", { n: DAYS })}</span>
        <span>{t("Today")}</span>
      </div>
      {troubled.length > 0 && (
        <details>
          <summary>
            {t("{n} day with trouble|{n} days with trouble", { n: troubled.length })}
          </summary>
          <ul>
            {troubled.map(({ place, words }) => (
              <li key={place}>
                <time datetime={dateOf(place)}>{dateOf(place)}</time>: {words}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function barAt(place: number, height: number): string {
  return `M${place * STEP} ${HEIGHT - height}h${WIDTH}v${height}h-${WIDTH}z`;
}
