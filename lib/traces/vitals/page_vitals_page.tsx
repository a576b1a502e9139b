import { currentLanguage, type Message, t } from "../../core/language/translate.ts";
import type { PageScope, PageView } from "../../releases/request_scope.ts";
import { NO_STATS, sampledOf, type Stats } from "../../store/stats/stats.ts";
import { quantilesOf, type Steps } from "../../store/stats/steps.ts";
import { TimeChart } from "../../ui/charts/mod.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { Tabs } from "../../ui/components/page.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { TablePanel } from "../../ui/components/table.tsx";
import { formatCount, formatExact } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { DEFAULT_RANGE, scopedHref } from "../../ui/scope.ts";
import { ChartBox, ProjectPage } from "../../ui/scoped_page.tsx";
import { CLIENT_COLUMNS, type ClientColumn, type PageVitals } from "./load_page_vitals.ts";
import { VisitPanel, VitalHistogram } from "./slow_visits.tsx";
import { NoVitals, Rated, VitalCards } from "./vital_cards.tsx";
import { formatVital, ratingOf, type Vital, VITALS } from "./vital_scores.ts";
import { pageVitalsHref, pageVitalsPath, transactionHref } from "../../ui/links.ts";

export type PageVitalsView = PageVitals & PageView;

/** All that is known of the vitals of one page, and one of them closely. */
export function PageVitalsPage(view: PageVitalsView) {
  const { shell, pageScope, params, vitals, previous } = view;
  const { project, scope } = pageScope;
  const path = pageVitalsPath(project.id);
  const keep = { name: params.name, vital: params.vital?.name ?? null };
  const zoomHref = scopedHref(path, { ...scope, range: DEFAULT_RANGE }, keep);
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="web-vitals"
      path={path}
      keep={keep}
      sampled={sampledOf([...vitals.values()])}
      crumbs={[{ label: visible(params.name) }]}
      title={<bdi class="wrap-anywhere">{visible(params.name)}</bdi>}
      actions={
        <LinkButton href={transactionHref(project.id, scope, params.name)}>
          {t("Its transactions")}
        </LinkButton>
      }
    >
      {vitals.size === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoVitals pageScope={pageScope} dsn={null} />
          </div>
        )
        : (
          <div class="space-y-4">
            <VitalCards vitals={vitals} previous={previous} />
            <VitalCharts view={view} zoomHref={zoomHref} />
            <OneVital {...view} />
          </div>
        )}
    </ProjectPage>
  );
}

/** One vital closely: how it is spread, for whom, and in which visits it was worst. */
function OneVital(view: PageVitalsView) {
  const { pageScope, params, vitals, vital, clients } = view;
  const { project, scope } = pageScope;
  const hrefOf = (name: string) => pageVitalsHref(project.id, scope, params.name, { vital: name });
  const { browser, device, country } = clients;
  const measured = vitals.get(vital.name) ?? NO_STATS;
  const groups = {
    browser: browser.map((group) => ({ ...group, name: group.browser })),
    device: device.map((group) => ({ ...group, name: group.device })),
    country: country.map((group) => ({ ...group, name: group.country })),
  };
  return (
    <section id="vital" class="space-y-4" aria-label={t("One vital closely")}>
      <Tabs
        label={t("Which vital")}
        tabs={VITALS.map(({ name, label }) => ({
          href: `${hrefOf(name)}#vital`,
          label,
          isCurrent: name === vital.name,
          count: Math.round(vitals.get(name)?.weight ?? 0),
        }))}
      />
      <Panel>
        <VitalHistogram
          vital={vital}
          sketch={measured.sketch}
          whole={Math.round(measured.weight)}
          range={params.range}
          brushHref={hrefOf(vital.name)}
        />
      </Panel>
      <div class="grid gap-4 lg:grid-cols-3">
        {CLIENT_COLUMNS.map((column) => (
          <ClientPanel key={column} column={column} vital={vital} groups={groups[column]} />
        ))}
      </div>
      <VisitPanel {...view} />
    </section>
  );
}

/** Each vital that was measured along the time, with the limits of what is good and what is poor. */
function VitalCharts(
  { view: { pageScope, vitals, steps }, zoomHref }: {
    readonly view: PageVitalsView;
    /** Where choosing a time leads. */
    readonly zoomHref: string;
  },
) {
  return (
    <div class="grid gap-4 lg:grid-cols-2">
      {VITALS.map((vital) => {
        const own = steps.get(vital.name);
        return own?.stats.some(({ count }) => count > 0) && (
          <ChartBox key={vital.name} class="last:odd:lg:col-span-2">
            <VitalChart
              pageScope={pageScope}
              vital={vital}
              whole={quartile(vitals.get(vital.name))}
              steps={own}
              zoomHref={zoomHref}
            />
          </ChartBox>
        );
      })}
    </div>
  );
}

interface VitalChartProps {
  readonly pageScope: PageScope;
  readonly vital: Vital;
  /** Its p75 over the whole time. */
  readonly whole: number | null;
  readonly steps: Steps;
  readonly zoomHref: string;
}

function quartile(stats: Stats | undefined): number | null {
  return stats?.sketch.quantile(0.75) ?? null;
}

function VitalChart({ pageScope, vital, whole, steps, zoomHref }: VitalChartProps) {
  const p75 = quantilesOf(steps, 0.75);
  // The line of what is poor would flatten the curve of a page that is far from it.
  const isNearPoor = p75.some((value) => value !== null && value > vital.good);
  return (
    <TimeChart
      id={`vital-${vital.name}`}
      title={vital.label}
      unit={vital.unit}
      note={t(vital.words)}
      times={steps.times}
      bucketMs={steps.stepMs}
      markers={pageScope.markers}
      syncKey="vitals"
      zoomHref={zoomHref}
      {...isNearPoor
        ? {
          threshold: {
            value: vital.poor,
            label: t("poor above {value}", { value: formatVital(vital, vital.poor) }),
          },
        }
        : {}}
      goal={{
        value: vital.good,
        label: t("good up to {value}", { value: formatVital(vital, vital.good) }),
      }}
      series={[{ label: "p75", values: p75, whole }]}
    />
  );
}

interface ClientPanelProps {
  readonly column: ClientColumn;
  readonly vital: Vital;
  /** Counts by name of the browser, device or country; `""` where the client does not say. */
  readonly groups: readonly (Stats & { readonly name: string })[];
}

interface ClientWords {
  readonly title: Message;
  readonly caption: Message;
  readonly label: Message;
  /** In place of the rows. */
  readonly none: Message;
}

const CLIENT_WORDS: Readonly<Record<ClientColumn, ClientWords>> = {
  browser: {
    title: "By browser",
    caption: "{vital} by browser",
    label: "Browser",
    none: "No client sent its browser.",
  },
  device: {
    title: "By device",
    caption: "{vital} by device",
    label: "Device",
    none: "No client sent its device.",
  },
  country: {
    title: "By country",
    caption: "{vital} by country",
    label: "Country",
    none: "No client sent its country.",
  },
};
const MAX_ROWS = 10;

/** A vital by what visitors use, the most frequent first. */
function ClientPanel({ column, vital, groups }: ClientPanelProps) {
  const isKnown = groups.some(({ name }) => name !== "");
  const words = CLIENT_WORDS[column];
  return (
    <TablePanel
      title={t(words.title)}
      id={`by-${column}`}
      caption={t(words.caption, { vital: vital.label })}
      density="comfortable"
      none={t(words.none)}
      rows={isKnown ? groups.toSorted((a, b) => b.weight - a.weight) : []}
      limit={MAX_ROWS}
      rest={(total) => t("{n} more with fewer visits", { n: total - MAX_ROWS })}
      rowKey={({ name }) => name}
      columns={[
        {
          label: t(words.label),
          cellClass: "w-full max-w-0 min-w-24 truncate",
          cell: ({ name }) => <bdi title={nameOf(column, name)}>{nameOf(column, name)}</bdi>,
        },
        {
          label: t("Visits"),
          align: "right",
          cell: ({ weight }) => (
            <span title={formatExact(Math.round(weight))}>{formatCount(Math.round(weight))}</span>
          ),
        },
        {
          label: "p75",
          align: "right",
          cell: ({ sketch }) => {
            const p75 = sketch.quantile(0.75);
            return <Rated rating={ratingOf(vital, p75)}>{formatVital(vital, p75)}</Rated>;
          },
        },
      ]}
    />
  );
}

function nameOf(column: ClientColumn, name: string): string {
  if (name === "") return t("unknown");
  const isCode = column === "country" && /^[A-Za-z]{2}$/.test(name);
  if (!isCode) return visible(name);
  const countries = new Intl.DisplayNames(currentLanguage(), { type: "region", fallback: "code" });
  return countries.of(name.toUpperCase()) ?? name;
}
