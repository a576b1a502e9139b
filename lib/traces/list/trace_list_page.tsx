import type { Tracing } from "../../releases/request_scope.ts";
import { extrapolated, sampledOf } from "../../store/stats/stats.ts";
import type { Steps } from "../../store/stats/steps.ts";
import { colorNames } from "../../ui/charts/chart_data.ts";
import { type ChartColor, TimeChart } from "../../ui/charts/mod.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, Menu } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Alert } from "../../ui/components/panel.tsx";
import { Cell, Pagination, Row, Table } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { ShareOf } from "../../ui/figures.tsx";
import { formatDuration, formatExact, formatExactOf, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { sectionPath, traceHref } from "../../ui/links.ts";
import { DEFAULT_RANGE, type Scope, scopedHref, scopeParams } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import { NoTraces } from "../list_parts.tsx";
import type { TraceList } from "./load_traces.ts";
import type { TraceRow } from "./trace_list.ts";
import type { SearchProblem } from "./trace_search.ts";

export interface TraceListView extends TraceList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

const CHART_HEIGHT = 120;

/** A project's traces, those with the latest entry first, as far as the search asks for them. */
export function TraceListPage(view: TraceListView) {
  const { shell, tracing, params: { query }, steps } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "traces");
  const isEverEntered = steps.stats.some(({ count }) => count > 0);
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="traces"
      keep={{ query }}
      sampled={sampledOf(steps.stats)}
    >
      <SearchBox path={path} scope={scope} query={query} problems={view.problems} />
      {isEverEntered && (
        <div class="mt-3 rounded-lg border border-line bg-surface p-4">
          <EntryChart tracing={tracing} steps={steps} path={path} query={query} />
        </div>
      )}
      <div class="mt-3 rounded-lg border border-line bg-surface">
        <Traces {...view} path={path} />
      </div>
    </TracingPage>
  );
}

function Traces({ tracing, params, traces, path }: TraceListView & { readonly path: string }) {
  const { scope } = tracing;
  const { query } = params;
  const hrefOf = (cursor: string | null) => cursor && scopedHref(path, scope, { query, cursor });
  if (traces === null) {
    return (
      <div class="p-4">
        <Alert kind="warning" title="The search took too long">
          Choose a shorter time, or ask for something that more traces have.
        </Alert>
      </div>
    );
  }
  if (traces.rows.length === 0) {
    return <NoTraces tracing={tracing} what="traces" path={path} isSearched={query !== ""} />;
  }
  return (
    <>
      <TraceTable tracing={tracing} traces={traces.rows} />
      <div class="border-t border-line">
        <Pagination
          label="Pages of traces"
          summary={`Showing ${formatExactOf(traces.rows.length, "traces")}, the latest first`}
          previousHref={hrefOf(traces.previousCursor)}
          nextHref={hrefOf(traces.nextCursor)}
        />
      </div>
    </>
  );
}

interface EntryChartProps {
  readonly tracing: Tracing;
  readonly steps: Steps;
  readonly path: string;
  readonly query: string;
}

function EntryChart({ tracing, steps, path, query }: EntryChartProps) {
  const { scope, markers } = tracing;
  const perMinute = (of: (stats: Steps["stats"][number]) => number) =>
    steps.stats.map((stats, place) => of(stats) / (steps.minutes[place] ?? 1));
  const failed = (stats: Steps["stats"][number]) => extrapolated(stats.failures, stats);
  return (
    <TimeChart
      id="entries"
      title="Entries per minute"
      unit="rate"
      height={CHART_HEIGHT}
      times={steps.times}
      bucketMs={steps.stepMs}
      markers={markers}
      syncKey="traces"
      zoomHref={scopedHref(path, { ...scope, range: DEFAULT_RANGE }, { query })}
      note={query === ""
        ? "A trace enters each service that it passes through."
        : "All that were received, not only those that the search asks for."}
      series={[
        {
          label: "ok",
          kind: "stacked",
          values: perMinute((stats) => stats.weight - failed(stats)),
        },
        { label: "failed", kind: "stacked", color: "danger", values: perMinute(failed) },
      ]}
    />
  );
}

interface SearchBoxProps {
  readonly path: string;
  readonly scope: Scope;
  readonly query: string;
  readonly problems: readonly SearchProblem[];
}

const PROBLEMS_ID = "trace-search-problems";

/** Search by words and `key:value`, with help, and what was not understood below. */
function SearchBox({ path, scope, query, problems }: SearchBoxProps) {
  const isWrong = problems.length > 0;
  return (
    <div>
      <form method="get" action={path} role="search" class="flex gap-1.5">
        {scopeParams(scope).map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <div class="relative min-w-0 flex-1">
          <Icon
            name="search"
            class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
          />
          <input
            type="search"
            name="query"
            value={query}
            maxLength={1000}
            aria-label="Search traces"
            aria-invalid={isWrong ? "true" : undefined}
            aria-describedby={isWrong ? PROBLEMS_ID : undefined}
            placeholder="Words, key:value, or a trace id"
            autocomplete="off"
            spellcheck={false}
            class="h-9 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 font-mono text-sm aria-invalid:border-danger"
          />
        </div>
        <Button>Search</Button>
        <SearchHelp />
      </form>
      {isWrong && (
        <ul id={PROBLEMS_ID} class="mt-1 text-sm text-danger">
          {problems.map(({ part, reason }, index) => (
            <li key={index} class="wrap-anywhere">
              <code class="underline decoration-wavy">{part}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: string])[] = [
  ["checkout", "part of the name"],
  ["service:shop-*", "* stands for anything"],
  ["op:http.server", "by operation"],
  ["duration:>500ms", "or <2s, 100ms..1s"],
  ["status:failed", "or ok, or a status as not_found"],
  ["http.status:>=500", "or 404, 5xx, 400..499"],
  ["http.method:POST", "http.route works alike"],
  ["user.id:7", "or user.email:, user:*"],
  ["url.path:/cart", "by any attribute of an entry"],
  ["db.system:postgresql", "or messaging.*, rpc.* of any span"],
  ["team:core", "by what its resource says"],
  ["has:server_name", "any value of a tag"],
  ["!environment:staging", "not from there"],
];

function SearchHelp() {
  return (
    <Menu
      label="Search help"
      align="right"
      buttonClass="flex h-9 items-center rounded-md border border-line-strong px-2.5 text-muted hover:bg-hover"
      button={<span aria-hidden="true">?</span>}
      panelClass="w-84 max-w-[calc(100vw-2rem)] p-3"
    >
      <table class="w-full text-sm" aria-label="Examples of searches">
        <tbody>
          {EXAMPLES.map(([search, meaning]) => (
            <tr key={search} class="align-top">
              <td class="py-0.5 pr-3">
                <code class="text-meta">{search}</code>
              </td>
              <td class="py-0.5 text-muted">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="mt-2 text-sm text-muted">
        Services enter a trace one after the other: it is found when one of its entries has all that
        is asked for. The id of a trace leads straight to it.
      </p>
    </Menu>
  );
}

interface TraceTableProps {
  readonly tracing: Tracing;
  readonly traces: readonly TraceRow[];
}

/** Traces, one a row. */
function TraceTable({ tracing, traces }: TraceTableProps) {
  const { services } = tracing;
  const colors = serviceColors(services, traces.flatMap((trace) => trace.services));
  const longest = Math.max(1, ...traces.map(({ durationMs }) => durationMs));
  return (
    <Table
      caption="Traces, the latest first"
      density="comfortable"
      columns={[
        { label: "Trace" },
        { label: "Services", class: "max-md:hidden" },
        { label: "Duration", align: "right" },
        { label: "Entries", align: "right", class: "max-lg:hidden" },
        { label: "Status" },
        { label: "Environment", class: "max-xl:hidden" },
        { label: "Started", align: "right" },
      ]}
    >
      {traces.map((trace) => (
        <TraceLine
          key={trace.traceId}
          tracing={tracing}
          trace={trace}
          colors={colors}
          longest={longest}
        />
      ))}
    </Table>
  );
}

interface TraceLineProps {
  readonly tracing: Tracing;
  readonly trace: TraceRow;
  readonly colors: ServiceColors;
  /** In milliseconds, of the page. */
  readonly longest: number;
}

function TraceLine({ tracing: { project, scope }, trace, colors, longest }: TraceLineProps) {
  const { traceId, name, op, services, durationMs, entries, environments, startedAt } = trace;
  return (
    <Row>
      <Cell class="w-full max-w-0 min-w-40 sm:min-w-56">
        <a
          class="row-link block truncate font-medium"
          title={visible(name)}
          href={traceHref(project.id, traceId, null, scope)}
        >
          <bdi>{visible(name) || "unnamed"}</bdi>
        </a>
        <span class="block truncate text-meta text-muted">
          {op !== "" && `${visible(op)} · `}
          <span class="font-mono">{traceId.slice(0, 8)}</span>
        </span>
      </Cell>
      <Cell class="max-md:hidden">
        <ServiceChips services={services} colors={colors} />
      </Cell>
      <Cell align="right">
        <ShareOf share={durationMs / longest} title="Against the longest on this page">
          {formatDuration(durationMs)}
        </ShareOf>
      </Cell>
      <Cell align="right" class="max-lg:hidden">{formatExact(entries)}</Cell>
      <Cell class="whitespace-nowrap">
        <TraceStatus {...trace} />
      </Cell>
      <Cell class="max-w-40 truncate max-xl:hidden">
        {environments.map(visible).join(", ") || NONE}
      </Cell>
      <Cell align="right">
        <RelativeTime date={startedAt} />
      </Cell>
    </Row>
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
          title={`${formatExact(failures)} of ${formatExact(entries)} failed`}
        >
          {failures === entries && words.length > 0 ? words.join(" ") : `${failures} failed`}
        </Badge>
      )}
      {errors > 0 && <Badge tone="danger" icon="issues">{formatExactOf(errors, "errors")}</Badge>}
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
          <span class="sr-only">{` more: ${rest.map(visible).join(", ")}`}</span>
        </span>
      )}
    </span>
  );
}
