import type { OutcomeKind } from "../records/mod.ts";
import { EmptyState, Panel } from "../ui/components/panel.tsx";
import { formatBytes, formatCount, formatExact } from "../ui/format.ts";
import { arrivedOf, KindTable, linesBy, ReasonList, ReasonTable } from "./usage_tables.tsx";
import type { Month } from "./load_usage.ts";
import type { Accepted, KindQuantity, Usage } from "./counts.ts";
import { categoryWord } from "./reasons.ts";
import { type Message, message, t } from "../core/language/translate.ts";

interface UsageViewProps {
  readonly usage: Usage;
  readonly accepted: Accepted;
  readonly month: Month;
  /** By project id. */
  readonly projectNames: ReadonlyMap<string, string>;
}

/** What became of everything in a month: by day, category and project, and why. */
export function UsageView({ usage, accepted, month, projectNames }: UsageViewProps) {
  if (usage.categories.length === 0) return <NothingArrived />;
  const days = arrivedOf(usage.days);
  const categories = arrivedOf(usage.categories);
  const projects = arrivedOf(usage.projects);
  const dropped = usage.reasons.filter(({ kind }) => kind === "client_discard");
  const lost = arrivedOf(usage.reasons).filter(({ kind }) => kind !== "accepted");
  return (
    <>
      <Panel>
        <p class="mb-2 text-sm text-muted tabular-nums">
          {t(
            "{n} request with {bytes} was accepted, as it was sent.|{n} requests with {bytes} were accepted, as they were sent.",
            { n: accepted.requests, bytes: formatBytes(accepted.bytes) },
          )}
        </p>
        <DayChart month={month} rows={days} />
        <details class="mt-2">
          <summary class="inline-block text-meta text-muted underline hover:text-ink">
            {t("Show as a table")}
          </summary>
          <div class="mt-2 rounded-md border border-line">
            <KindTable
              caption={t("By day")}
              of={t("Day (UTC)")}
              rows={days}
              lines={linesBy(days, ({ day }) => day).sort((a, b) => a.key < b.key ? 1 : -1)}
            />
          </div>
        </details>
      </Panel>
      <Panel title={t("By category")} id="categories" flush>
        <KindTable
          caption={t("By category")}
          of={t("Category")}
          rows={categories}
          lines={linesBy(categories, ({ category }) => category)}
          labelOf={categoryWord}
        />
      </Panel>
      <Panel title={t("By project")} id="projects" flush>
        <KindTable
          caption={t("By project")}
          of={t("Project")}
          rows={projects}
          lines={linesBy(projects, ({ projectId }) => projectId)}
          labelOf={(id) => projectNames.get(id) ?? id}
        />
      </Panel>
      <Panel title={t("Why not accepted")} id="reasons" flush={lost.length > 0}>
        {lost.length === 0
          ? <p class="text-muted">{t("Everything was accepted.")}</p>
          : <ReasonList rows={lost} />}
      </Panel>
      <Panel
        title={t("Dropped by clients")}
        id="client-drops"
        description={t(
          "What SDKs dropped before sending, as their client reports say. It never arrived, and is in none of the tables above.",
        )}
        flush={dropped.length > 0}
      >
        {dropped.length === 0
          ? <p class="text-muted">{t("No client reported that it dropped anything.")}</p>
          : <ReasonTable caption={t("Dropped by clients")} rows={dropped} />}
      </Panel>
    </>
  );
}

function NothingArrived() {
  return (
    <Panel>
      <EmptyState title={t("Nothing arrived in this month")}>
        {t(
          "As soon as something is sent to a project, it is counted here, whatever becomes of it.",
        )}
      </EmptyState>
    </Panel>
  );
}

interface Group {
  readonly label: Message;
  readonly kinds: readonly OutcomeKind[];
  readonly fill: string;
}

/** From the bottom of a bar to its top. */
const GROUPS: readonly Group[] = [
  { label: message("Accepted"), kinds: ["accepted"], fill: "fill-series-1" },
  {
    label: message("Not wanted"),
    kinds: ["duplicate", "unsupported", "sampled", "filtered"],
    fill: "fill-series-6",
  },
  {
    label: message("Over a limit"),
    kinds: ["rate_limited", "over_quota", "too_large"],
    fill: "fill-series-2",
  },
  { label: message("Invalid or refused"), kinds: ["invalid", "refused"], fill: "fill-series-4" },
];

/** The drawing's own units; it is stretched to the width it gets. */
const STEP = 10;
const GAP = 1.5;
const HEIGHT = 100;

interface DayChartProps {
  readonly month: Month;
  readonly rows: readonly (KindQuantity & { readonly day: string })[];
}

/** What arrived on each day of a month, as bars of four parts. The same figures are in the table of days. */
function DayChart({ month, rows }: DayChartProps) {
  const days = month.days.map((day) => ({
    day,
    parts: GROUPS.map(({ kinds }) =>
      sumOf(rows.filter((row) => row.day === day && kinds.includes(row.kind)))
    ),
  }));
  const total = sumOf(rows);
  const peak = Math.max(1, ...days.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0)));
  const width = days.length * STEP;
  return (
    <figure class="min-w-0">
      <figcaption class="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span class="font-semibold">{t("By day")}</span>
        <Legend rows={rows} />
      </figcaption>
      <div class="relative">
        <svg
          role="img"
          aria-label={t(
            "By day: {n} item, at most {peak} in a day|By day: {n} items, at most {peak} in a day",
            { n: total, peak },
          )}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          class="block h-32 w-full border-b border-line-strong"
        >
          <line x2={width} class="stroke-line" vector-effect="non-scaling-stroke" />
          <line x2={width} y1="50" y2="50" class="stroke-line" vector-effect="non-scaling-stroke" />
          {days.map(({ day, parts }, index) => (
            <DayBar key={day} day={day} index={index} parts={parts} peak={peak} />
          ))}
        </svg>
        <span class="pointer-events-none absolute top-0.5 left-0 bg-surface/80 px-0.5 text-meta text-muted tabular-nums">
          {formatCount(peak)}
        </span>
      </div>
      <div class="mt-1 flex justify-between text-meta text-muted tabular-nums">
        <span>{month.days[0]}</span>
        <span>{month.days.at(-1)}</span>
      </div>
    </figure>
  );
}

function Legend({ rows }: Pick<DayChartProps, "rows">) {
  return (
    <ul class="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted tabular-nums">
      {GROUPS.map(({ label, kinds, fill }) => {
        const sum = sumOf(rows.filter(({ kind }) => kinds.includes(kind)));
        return sum > 0 && (
          <li key={label} class="flex items-center gap-1.5" title={formatExact(sum)}>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" class={fill} />
            </svg>
            {t(label)} {formatCount(sum)}
          </li>
        );
      })}
    </ul>
  );
}

interface DayBarProps {
  readonly day: string;
  readonly index: number;
  readonly parts: readonly number[];
  /** The count that fills the height. */
  readonly peak: number;
}

/** Its invisible full-height partner makes small bars as easy to hover as tall ones. */
function DayBar({ day, index, parts, peak }: DayBarProps) {
  const words = GROUPS.flatMap(({ label }, group) =>
    parts[group] ? [`${t(label)} ${formatExact(parts[group] ?? 0)}`] : []
  );
  let top = HEIGHT;
  return (
    <g class="group/bar">
      <title>{`${day}: ${words.join(", ") || t("nothing")}`}</title>
      <rect
        x={index * STEP}
        width={STEP}
        height={HEIGHT}
        class="fill-transparent group-hover/bar:fill-hover"
      />
      {GROUPS.map(({ label, fill }, group) => {
        const part = parts[group] ?? 0;
        if (part === 0) return null;
        // A single item among thousands still shows.
        const height = Math.max(1, (part / peak) * HEIGHT);
        top -= height;
        return (
          <rect
            key={label}
            x={index * STEP + GAP / 2}
            y={Math.max(0, top)}
            width={STEP - GAP}
            height={height}
            class={fill}
          />
        );
      })}
    </g>
  );
}

function sumOf(rows: readonly KindQuantity[]): number {
  return rows.reduce((sum, { quantity }) => sum + quantity, 0);
}
