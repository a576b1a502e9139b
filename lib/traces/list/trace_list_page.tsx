import { type Message, t } from "../../core/language/translate.ts";
import { HiddenFields } from "../../ui/components/fields.tsx";
import type { PageScope, PageView } from "../../releases/request_scope.ts";
import { extrapolated, sampledOf } from "../../store/stats/stats.ts";
import type { Steps } from "../../store/stats/steps.ts";
import { colorNames } from "../../ui/charts/chart_data.ts";
import { type ChartColor, TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Alert } from "../../ui/components/panel.tsx";
import { CursorPages, RowTable } from "../../ui/components/table.tsx";
import { RelativeTime, ShareOf } from "../../ui/components/values.tsx";
import { formatDuration, formatExact, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { sectionPath, traceHref } from "../../ui/links.ts";
import { DEFAULT_RANGE, scopedHref, scopeParams } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { NoTraces } from "../list_parts.tsx";
import type { TraceList } from "./load_traces.ts";
import type { TraceRow } from "./trace_list.ts";
import { SearchHelp, SearchInput, SearchProblems } from "../../ui/search_box.tsx";

export type TraceListView = TraceList & PageView;

interface PartProps extends PageView, TraceList {
  /** Of the page. */
  readonly path: string;
}

const CHART_HEIGHT = 120;

/** A project's traces, those with the latest transaction first, as far as the search asks for them. */
export function TraceListPage(view: TraceListView) {
  const { shell, pageScope, params: { query }, steps } = view;
  const { project } = pageScope;
  const path = sectionPath(project.id, "traces");
  const isEverEntered = steps.stats.some(({ count }) => count > 0);
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="traces"
      keep={{ query }}
      sampled={sampledOf(steps.stats)}
    >
      <SearchBox {...view} path={path} />
      {isEverEntered && (
        <div class="mt-3 rounded-lg border border-line bg-surface p-4">
          <EntryChart {...view} path={path} />
        </div>
      )}
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <Traces {...view} path={path} />
      </div>
    </ProjectPage>
  );
}

function Traces({ pageScope, params, traces, path }: PartProps) {
  const { scope } = pageScope;
  const { query } = params;
  if (traces === null) {
    return (
      <div class="p-4">
        <Alert kind="warning" title={t("The search took too long")}>
          {t("Choose a shorter time, or ask for something that more traces have.")}
        </Alert>
      </div>
    );
  }
  if (traces.rows.length === 0) {
    return <NoTraces pageScope={pageScope} what="traces" path={path} isSearched={query !== ""} />;
  }
  return (
    <>
      <TraceTable pageScope={pageScope} traces={traces.rows} />
      <CursorPages
        page={traces}
        label={t("Pages of traces")}
        summary={t("Showing {n} trace, the latest first|Showing {n} traces, the latest first", {
          n: traces.rows.length,
        })}
        hrefOf={(cursor) => scopedHref(path, scope, { query, cursor })}
      />
    </>
  );
}

function EntryChart({ pageScope, steps, params, path }: PartProps) {
  const { scope, markers } = pageScope;
  const { query } = params;
  const perMinute = (of: (stats: Steps["stats"][number]) => number) =>
    steps.stats.map((stats, place) => of(stats) / (steps.minutes[place] ?? 1));
  const failed = (stats: Steps["stats"][number]) => extrapolated(stats.failures, stats);
  return (
    <TimeChart
      id="entries"
      title={t("Transactions per minute")}
      unit="rate"
      height={CHART_HEIGHT}
      times={steps.times}
      bucketMs={steps.stepMs}
      markers={markers}
      syncKey="traces"
      zoomHref={scopedHref(path, { ...scope, range: DEFAULT_RANGE }, { query })}
      note={query === ""
        ? t("A trace has a transaction in each service that it passes through.")
        : t("All that were received, not only those that the search asks for.")}
      series={[
        {
          label: t("ok"),
          kind: "stacked",
          values: perMinute((stats) => stats.weight - failed(stats)),
        },
        { label: t("failed"), kind: "stacked", color: "danger", values: perMinute(failed) },
      ]}
    />
  );
}

const PROBLEMS_ID = "trace-search-problems";

/** Search by words and `key:value`, with help, and what was not understood below. */
function SearchBox({ pageScope, params, problems, path }: PartProps) {
  return (
    <div>
      <form method="get" action={path} role="search" class="flex gap-1.5">
        <HiddenFields pairs={scopeParams(pageScope.scope)} />
        <SearchInput
          query={params.query}
          label={t("Search traces")}
          placeholder={t("Words, key:value, or a trace id")}
          problems={problems}
          problemsId={PROBLEMS_ID}
        />
        <Button>{t("Search")}</Button>
        <SearchHelp examples={EXAMPLES.map(([search, meaning]) => [search, t(meaning)])}>
          {t(
            "A trace is found when one of its transactions has all that is asked for. The id of a trace leads straight to it.",
          )}
        </SearchHelp>
      </form>
      <SearchProblems id={PROBLEMS_ID} problems={problems} class="wrap-anywhere" />
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: Message])[] = [
  ["checkout", "part of the name"],
  ["service:shop-*", "* stands for anything"],
  ["op:http.server", "by operation"],
  ["duration:>500ms", "or <2s, 100ms..1s"],
  ["status:failed", "or ok, or a status as not_found"],
  ["http.status:>=500", "or 404, 5xx, 400..499"],
  ["http.method:POST", "http.route works alike"],
  ["user.id:7", "or user.email:, user:*"],
  ["url.path:/cart", "by any attribute of a transaction"],
  ["db.system:postgresql", "or messaging.*, rpc.* of any span"],
  ["team:core", "by what its resource says"],
  ["has:server_name", "any value of a tag"],
  ["!environment:staging", "not from there"],
];

interface TraceTableProps {
  readonly pageScope: PageScope;
  readonly traces: readonly TraceRow[];
}

/** Traces, one a row. */
function TraceTable({ pageScope, traces }: TraceTableProps) {
  const { project, scope, services } = pageScope;
  const colors = serviceColors(services, traces.flatMap((trace) => trace.services));
  const longest = Math.max(1, ...traces.map(({ durationMs }) => durationMs));
  return (
    <RowTable
      caption={t("Traces, the latest first")}
      density="comfortable"
      rows={traces}
      rowKey={({ traceId }) => traceId}
      columns={[
        {
          label: t("Trace"),
          cellClass: "w-full max-w-0 min-w-40 sm:min-w-56",
          cell: ({ traceId, name, op }) => (
            <>
              <a
                class="row-link block truncate font-medium"
                title={visible(name)}
                href={traceHref(project.id, traceId, null, scope)}
              >
                <bdi>{visible(name) || t("unnamed")}</bdi>
              </a>
              <span class="block truncate text-meta text-muted">
                {op !== "" && `${visible(op)} · `}
                <span class="font-mono">{traceId.slice(0, 8)}</span>
              </span>
            </>
          ),
        },
        {
          label: t("Services"),
          class: "max-md:hidden",
          cell: ({ services }) => <ServiceChips services={services} colors={colors} />,
        },
        {
          label: t("Duration"),
          align: "right",
          cell: ({ durationMs }) => (
            <ShareOf share={durationMs / longest} title={t("Against the longest on this page")}>
              {formatDuration(durationMs)}
            </ShareOf>
          ),
        },
        {
          label: t("Transactions"),
          align: "right",
          class: "max-lg:hidden",
          cell: ({ entries }) => formatExact(entries),
        },
        { label: t("Status"), cellClass: "whitespace-nowrap", cell: TraceStatus },
        {
          label: t("Environment"),
          class: "max-xl:hidden",
          cellClass: "max-w-40 truncate max-xl:hidden",
          cell: ({ environments }) => environments.map(visible).join(", ") || NONE,
        },
        {
          label: t("Started"),
          align: "right",
          cell: ({ startedAt }) => <RelativeTime date={startedAt} />,
        },
      ]}
    />
  );
}

/** How the root ended, and what went wrong anywhere below. */
function TraceStatus({ status, httpStatus, entries, failures, errors }: TraceRow) {
  const words = [httpStatus, visible(status)].filter((part) => part !== null && part !== "");
  if (failures + errors === 0) return <span class="text-muted">{words.join(" ") || NONE}</span>;
  return (
    <span class="inline-flex items-center gap-1">
      {failures > 0 && (
        <Badge
          tone="danger"
          icon="error"
          title={t("{failed} of {total} failed", { failed: failures, total: entries })}
        >
          {failures === entries && words.length > 0
            ? words.join(" ")
            : t("{n} failed", { n: failures })}
        </Badge>
      )}
      {errors > 0 && (
        <Badge tone="danger" icon="issues">{t("{n} error|{n} errors", { n: errors })}</Badge>
      )}
    </span>
  );
}

/** Colours by name of service: the same on every page of a project, as far as there are enough of them. */
type ServiceColors = ReadonlyMap<string, ChartColor>;

const COLORS: readonly ChartColor[] = [1, 2, 3, 4, 5, 6, 7, 8];
/** More chips than this push the rest of the row away. */
const MAX_CHIPS = 3;

/**
 * Gives each service its colour.
 *
 * @param known the project's services in a fixed order
 * @param shown more of them, such as platforms in place of names
 */
function serviceColors(known: readonly string[], shown: readonly string[]): ServiceColors {
  const names = [...new Set([...known, ...shown.toSorted()])];
  return new Map(names.map((name, place) => [name, COLORS[place % COLORS.length] ?? 1]));
}

interface ServiceChipsProps {
  readonly services: readonly string[];
  readonly colors: ServiceColors;
}

/** Services by name and colour; those that find no room are told on hover. */
function ServiceChips({ services, colors }: ServiceChipsProps) {
  const rest = services.slice(MAX_CHIPS);
  return (
    <span class="inline-flex items-center gap-1">
      {services.slice(0, MAX_CHIPS).map((service) => (
        <span
          key={service}
          title={visible(service)}
          class="inline-flex h-5 max-w-32 items-center gap-1 rounded-sm bg-sunken px-1.5 text-meta"
        >
          <svg width="8" height="8" class="shrink-0" aria-hidden="true">
            <rect width="8" height="8" rx="2" class={colorNames(colors.get(service), 0).fill} />
          </svg>
          <bdi class="truncate">{visible(service)}</bdi>
        </span>
      ))}
      {rest.length > 0 && (
        <span class="text-meta whitespace-nowrap text-muted" title={rest.map(visible).join(", ")}>
          {`+${rest.length}`}
          <span class="sr-only">
            {` ${t("more: {names}", { names: rest.map(visible).join(", ") })}`}
          </span>
        </span>
      )}
    </span>
  );
}
