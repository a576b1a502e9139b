/** Parts that the pages of uptime monitors share: states, bars, words. */
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { Badge, type Tone } from "@/lib/ui/components/badge.tsx";
import { classes, type IconName } from "@/lib/ui/components/icon.tsx";
import { formatDuration } from "@/lib/ui/format.ts";
import type { Monitor, MonitorState } from "../monitor.ts";
import { NO_SUM, type PeriodSum, type Sum, uptimeOf, uptimeWords } from "../sums.ts";
import { windowAt } from "../windows.ts";
import { type Message, message, t } from "@/lib/core/language/translate.ts";

/** Of what opens on a click, since it has no mark of its own. */
export const DISCLOSURE_LOOK = "w-fit cursor-pointer font-medium text-accent hover:underline";

/** How a monitor stands, as pages show it. */
export type ShownState = MonitorState | "paused" | "maintenance";

/** In the order in which people should see them. */
export const SHOWN_STATES = [
  "down",
  "degraded",
  "unknown",
  "maintenance",
  "up",
  "paused",
] as const satisfies readonly ShownState[];

export const STATE_LABELS: Readonly<Record<ShownState, Message>> = {
  up: message("Up"),
  degraded: message("Slow"),
  down: message("Down"),
  unknown: message("Not measured"),
  paused: message("Paused"),
  maintenance: message("Maintenance"),
};

const LOOKS: Readonly<Record<ShownState, { readonly tone: Tone; readonly icon: IconName }>> = {
  up: { tone: "ok", icon: "ok" },
  degraded: { tone: "warning", icon: "warning" },
  down: { tone: "danger", icon: "error" },
  unknown: { tone: "neutral", icon: "debug" },
  paused: { tone: "neutral", icon: "minus" },
  maintenance: { tone: "info", icon: "clock" },
};

const MEANINGS: Readonly<Record<ShownState, Message>> = {
  up: message("The last check succeeded"),
  degraded: message("It responds, but slower than it should"),
  down: message("An incident is open"),
  unknown: message("There is no check yet, or Watchpost itself could not measure"),
  paused: message("It is not checked"),
  maintenance: message("A maintenance window: no notifications of failures"),
};

export function shownState(
  monitor: Pick<Monitor, "isPaused" | "windows" | "state">,
  now: Date,
): ShownState {
  if (monitor.isPaused) return "paused";
  return windowAt(monitor.windows, now) === null ? monitor.state : "maintenance";
}

/** A state: shape, colour and word. */
export function StateBadge({ state }: { readonly state: ShownState }) {
  const { tone, icon } = LOOKS[state];
  return <Badge tone={tone} icon={icon} title={t(MEANINGS[state])}>{t(STATE_LABELS[state])}</Badge>;
}

/** The status of one check. */
export function CheckBadge(
  { status, isMaintenance }: { readonly status: MonitorState; readonly isMaintenance: boolean },
) {
  return (
    <span class="inline-flex flex-wrap items-center gap-1">
      <StateBadge state={status} />
      {isMaintenance && (
        <Badge icon="clock" title={t("In a maintenance window")}>{t("maintenance")}</Badge>
      )}
    </span>
  );
}

type BarKind = "up" | "degraded" | "down" | "unknown" | "maintenance";

/** A bar says by its height what its colour says: the taller the better. */
const BARS: Readonly<Record<BarKind, { readonly height: number; readonly look: string }>> = {
  up: { height: 20, look: "fill-ok-fill" },
  degraded: { height: 15, look: "fill-warning-fill" },
  down: { height: 9, look: "fill-danger-fill" },
  maintenance: { height: 5, look: "fill-info-fill" },
  unknown: { height: 3, look: "fill-line-strong" },
};
const BAR_HEIGHT = 20;

function barKind(sum: Sum): BarKind {
  if (sum.downSec > 0) return "down";
  const measured = sum.upSec + sum.degradedSec;
  if (measured === 0) return sum.maintenanceSec > 0 ? "maintenance" : "unknown";
  return sum.degradedSec > measured / 2 ? "degraded" : "up";
}

interface UptimeBarsProps {
  readonly period: "hour" | "day";
  readonly sums: readonly PeriodSum[];
  /** How many periods, the last of which is that of `now`. */
  readonly count: number;
  readonly now: Date;
  /** @default 4 */
  readonly barWidth?: number;
  readonly class?: string;
}

/** A bar for each hour or day, with what happened on hover. */
export function UptimeBars(props: UptimeBarsProps) {
  const { period, sums, count, now, barWidth = 4 } = props;
  const periodMs = period === "hour" ? HOUR_MS : DAY_MS;
  const last = Math.floor(now.getTime() / periodMs) * periodMs;
  const known = new Map(sums.map((sum) => [sum.start.getTime(), sum]));
  const width = count * (barWidth + 1);
  const uptime = uptimeOf(sums.reduce<Sum>((total, sum) => ({
    ...total,
    upSec: total.upSec + sum.upSec,
    degradedSec: total.degradedSec + sum.degradedSec,
    downSec: total.downSec + sum.downSec,
  }), NO_SUM));
  const share = uptime === null
    ? t("not measured")
    : t("{share} up", { share: uptimeWords(uptime) });
  const words = period === "hour"
    ? t("The last {n} hour: {share}|The last {n} hours: {share}", { n: count, share })
    : t("The last {n} day: {share}|The last {n} days: {share}", { n: count, share });
  return (
    <svg
      role="img"
      aria-label={words}
      viewBox={`0 0 ${width} ${BAR_HEIGHT}`}
      width={width}
      height={BAR_HEIGHT}
      preserveAspectRatio="none"
      class={classes("relative z-1 block max-w-full", props.class)}
    >
      {Array.from({ length: count }, (_, place) => {
        const start = last - (count - 1 - place) * periodMs;
        const sum = known.get(start) ?? NO_SUM;
        const { height, look } = BARS[barKind(sum)];
        return (
          <g key={start}>
            <title>{barWords(start, period, sum)}</title>
            <rect
              x={place * (barWidth + 1)}
              y={0}
              width={barWidth + 1}
              height={BAR_HEIGHT}
              fill="transparent"
            />
            <rect
              x={place * (barWidth + 1)}
              y={BAR_HEIGHT - height}
              width={barWidth}
              height={height}
              class={look}
            />
          </g>
        );
      })}
    </svg>
  );
}

function barWords(start: number, period: "hour" | "day", sum: Sum): string {
  const iso = new Date(start).toISOString();
  const when = period === "day" ? iso.slice(0, 10) : `${iso.slice(0, 16).replace("T", " ")} UTC`;
  const uptime = uptimeOf(sum);
  const parts = [
    uptime === null ? t("not measured") : t("{share} up", { share: uptimeWords(uptime) }),
    ...sum.downSec > 0 ? [t("down for {time}", { time: formatDuration(sum.downSec * 1_000) })] : [],
    ...sum.degradedSec > 0
      ? [t("slow for {time}", { time: formatDuration(sum.degradedSec * 1_000) })]
      : [],
    ...sum.maintenanceSec > 0
      ? [
        t("maintenance for {time}", {
          time: formatDuration(sum.maintenanceSec * 1_000),
        }),
      ]
      : [],
    ...uptime !== null && sum.unknownSec >= 60
      ? [t("not measured for {time}", { time: formatDuration(sum.unknownSec * 1_000) })]
      : [],
  ];
  return `${when}: ${parts.join(", ")}`;
}

/** What the heights and colours of bars mean. */
export function BarLegend() {
  const kinds: readonly BarKind[] = ["up", "degraded", "down", "maintenance", "unknown"];
  return (
    <ul class="flex flex-wrap gap-x-4 gap-y-1 text-meta text-muted">
      {kinds.map((kind) => (
        <li key={kind} class="flex items-end gap-1">
          <svg width="4" height="14" viewBox="0 0 4 20" aria-hidden="true" class="mb-0.5">
            <rect
              x="0"
              y={BAR_HEIGHT - BARS[kind].height}
              width="4"
              height={BARS[kind].height}
              class={BARS[kind].look}
            />
          </svg>
          {t(STATE_LABELS[kind])}
        </li>
      ))}
    </ul>
  );
}

/** `20 s`, `5 min`, `24 h`. */
export function intervalWords(seconds: number): string {
  if (seconds % 3_600 === 0) return t("{time} h", { time: String(seconds / 3_600) });
  return seconds % 60 === 0
    ? t("{time} min", { time: String(seconds / 60) })
    : t("{time} s", { time: String(seconds) });
}

/** Days of a certificate, with the tone that they deserve. */
export function CertificateDays(
  { days, warnings }: { readonly days: number | null; readonly warnings: readonly number[] },
) {
  if (days === null) return <span class="text-muted">–</span>;
  if (days < 0) return <Badge tone="danger" icon="error">{t("expired")}</Badge>;
  const words = t("{time} d", { time: String(days) });
  const first = warnings[0] ?? 0;
  if (days > first) return <span class="tabular-nums">{words}</span>;
  return <Badge tone={days <= 7 ? "danger" : "warning"} icon="warning">{words}</Badge>;
}
