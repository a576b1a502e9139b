import { rich, t } from "@/lib/core/language/translate.ts";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { classes } from "@/lib/ui/components/icon.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { formatDateTime, formatDuration } from "@/lib/ui/format.ts";
import { cronPath } from "@/lib/ui/links.ts";
import type { Monitor } from "../monitors.ts";
import type { Bar, RunStatus } from "../runs.ts";
import { RUN_LOOKS, type Standing, STANDING_LOOKS } from "../words.ts";

/** How a run went: colour, shape and word. */
export function RunBadge({ status }: { readonly status: RunStatus }) {
  const { word, tone, icon, help } = RUN_LOOKS[status];
  return <Badge tone={tone} icon={icon} title={t(help)}>{t(word)}</Badge>;
}

/** How a monitor stands in an environment. */
export function StandingBadge({ standing }: { readonly standing: Standing }) {
  const { word, tone, icon, help } = STANDING_LOOKS[standing];
  return <Badge tone={tone} icon={icon} title={t(help)}>{t(word)}</Badge>;
}

/** When a run is expected next. Within its margin, a job that has not begun is due, and not missed. */
export function NextExpected({ at }: { readonly at: Date | null }) {
  const isDue = at !== null && at.getTime() <= Date.now();
  return (
    <span class="whitespace-nowrap">
      {isDue
        ? rich("due {time}", { time: <RelativeTime date={at} /> })
        : <RelativeTime date={at} />}
    </span>
  );
}

/** Failed runs stand out by their height, missed ones are hollow: colour never speaks alone. */
const BAR_LOOKS: Readonly<Record<RunStatus, string>> = {
  ok: "h-3 bg-ok",
  error: "h-5 bg-danger",
  timeout: "h-5 bg-danger",
  missed: "h-5 border border-danger",
  in_progress: "h-3 bg-info",
  unknown: "h-1.5 bg-line-strong",
};

/** The last runs as bars, the newest at the right. */
export function Timeline({ bars }: { readonly bars: readonly Bar[] }) {
  if (bars.length === 0) return <span class="text-sm text-muted">{t("No run yet")}</span>;
  return (
    <span role="img" aria-label={summaryOf(bars)} class="flex h-5 min-w-60 items-end gap-0.5">
      {bars.map((bar, place) => (
        <span
          key={place}
          title={barTitle(bar)}
          class={classes("w-1.5 rounded-xs", BAR_LOOKS[bar.status])}
        />
      ))}
    </span>
  );
}

function barTitle({ status, startedAt, durationMs }: Bar): string {
  const took = durationMs === null ? "" : ` · ${formatDuration(durationMs)}`;
  return `${t(RUN_LOOKS[status].word)} · ${formatDateTime(startedAt)}${took}`;
}

/** `Last 5 runs: 3 ok, 2 failed; the newest: failed`. */
function summaryOf(bars: readonly Bar[]): string {
  const counts = Map.groupBy(bars, ({ status }) => t(RUN_LOOKS[status].word));
  const parts = [...counts].map(([word, { length }]) => `${length} ${word}`);
  const newest = bars.at(-1);
  return t(
    "Last {n} run: {counts}; the newest: {newest}|Last {n} runs: {counts}; the newest: {newest}",
    {
      n: bars.length,
      counts: parts.join(", "),
      newest: newest === undefined ? "" : t(RUN_LOOKS[newest.status].word),
    },
  );
}

/** The page of a monitor; `new` is the address of the form. */
export function monitorHref({ projectId, slug, monitorId }: Monitor): string {
  return cronPath(projectId, slug === "new" ? monitorId : slug);
}
