import { useEffect, useState } from "preact/hooks";
import { t } from "../lib/core/language/translate.ts";
import { LevelChart } from "../lib/logs/level_chart.tsx";
import type { LogLevel } from "../lib/records/mod.ts";
import type { ChartMarker } from "../lib/ui/charts/mod.ts";
import { formatExact } from "../lib/ui/format.ts";

export interface LogChartProps {
  /** Answers `{ counts, countsOf, byLevel }` once the logs are counted. */
  readonly href: string;
  /** Unix times in ms. */
  readonly start: number;
  readonly end: number;
  readonly bucketSec: number;
  readonly markers: readonly ChartMarker[];
}

interface Counted {
  readonly counts: readonly number[];
  readonly countsOf: Readonly<Partial<Record<LogLevel, readonly number[]>>>;
  readonly byLevel: Readonly<Record<string, number>>;
}

/** The chart of logs that take a while to be counted, and how many of each level there are. */
export default function LogChart({ href, start, end, bucketSec, markers }: LogChartProps) {
  const [counted, setCounted] = useState<Counted | "failed" | null>(null);
  useEffect(() => {
    const asking = new AbortController();
    const read = async () => {
      const response = await fetch(href, { signal: asking.signal });
      const answer: Counted | null = response.ok && !response.redirected
        ? await response.json()
        : null;
      setCounted(answer ?? "failed");
      if (answer !== null) showLevels(answer.byLevel);
    };
    read().catch(() => setCounted("failed"));
    return () => asking.abort();
  }, [href]);
  if (counted === null || counted === "failed") {
    return (
      // As high as the chart, so that the list below stays where it is.
      <p
        class="grid min-h-[11.625rem] place-content-center text-center text-meta text-muted"
        aria-live="polite"
      >
        {counted === null
          ? t("Counting the logs that match…")
          : t("Counting took too long: choose a shorter time to see how many match.")}
      </p>
    );
  }
  return (
    <LevelChart
      start={new Date(start)}
      end={new Date(end)}
      bucketSec={bucketSec}
      counts={counted.counts}
      levels={counted.countsOf}
      markers={markers}
    />
  );
}

function showLevels(levels: Counted["byLevel"]): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-log-level]")) {
    place.textContent = formatExact(levels[place.dataset.logLevel ?? ""] ?? 0);
  }
}
