import type { Tracing } from "../../releases/request_scope.ts";
import { colorNames } from "../../ui/charts/chart_data.ts";
import { Segments } from "../../ui/charts/share_bar.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { Count } from "../../ui/components/values.tsx";
import { FailureShare } from "../../ui/figures.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
} from "../../ui/format.ts";
import { sectionPath } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import { TracingPage } from "../../ui/scoped_page.tsx";
import type { Shell } from "../../ui/shell.ts";
import {
  ChoiceLinks,
  ListBox,
  SearchForm,
  sortHeader,
  type Sorting,
  sortingText,
} from "../../ui/sorted_list.tsx";
import { endpointHref } from "../../ui/trace_links.ts";
import { LastSeen, NoTraces } from "../list_parts.tsx";
import {
  ENDPOINT_COLUMNS,
  type EndpointList,
  type EndpointRow,
  PROTOCOL_WORDS,
  STATUS_CLASSES,
} from "./load_endpoints.ts";

export interface EndpointListView extends EndpointList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All HTTP endpoints that the services of a project serve. */
export function EndpointListPage(view: EndpointListView) {
  const { shell, tracing, list, sorting, query, method, methods, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "endpoints");
  const keep = { query, method, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="endpoints"
      sampled={view.sampled}
      keep={keep}
      description="HTTP endpoints that your services serve, from Sentry's SDKs and OpenTelemetry alike."
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        label="Search endpoints"
        placeholder="Part of a route; * stands for anything"
        keep={{ method, sort: keep.sort }}
      />
      {(methods.length > 1 || method !== "") && (
        <ChoiceLinks
          label="Methods"
          choices={["", ...methods]}
          chosen={method}
          hrefOf={(each) => hrefOf({ method: each })}
        />
      )}
      <ListBox
        list={list}
        unit="endpoints"
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what="endpoints"
            path={path}
            isSearched={query !== "" || method !== ""}
          />
        }
      >
        <EndpointTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
        />
      </ListBox>
      <p class="mt-2 text-sm text-muted">
        Errors are answers from 500 on, and failed requests that told no status.
      </p>
    </TracingPage>
  );
}

interface EndpointTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly EndpointRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
}

/** HTTP endpoints: how many requests, how they were answered, how fast. */
function EndpointTable({ tracing, rows, sorting, hrefOf }: EndpointTableProps) {
  const columns = ENDPOINT_COLUMNS.map((column) => sortHeader(column, sorting, hrefOf, rows[0]));
  columns.splice(3, 0, { label: "Answers", class: "max-md:hidden" });
  return (
    <Table caption="HTTP endpoints" columns={columns}>
      {rows.map((row) => (
        <Row key={row.key}>
          <Cell class="w-full max-w-0 min-w-40">
            <EndpointName tracing={tracing} row={row} />
          </Cell>
          <Cell align="right">
            <Count value={Math.round(row.requests)} unit="requests" />
          </Cell>
          <Cell align="right" class="max-lg:hidden">{formatRate(row.perMinute)}</Cell>
          <Cell class="max-md:hidden">
            <AnswerBar answers={row.answers} />
          </Cell>
          <Cell align="right">
            <FailureShare rate={row.failureRate} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">{formatDuration(row.p50)}</Cell>
          <Cell align="right">{formatDuration(row.p95)}</Cell>
          <Cell align="right" class="max-lg:hidden">{formatDuration(row.p99)}</Cell>
          <Cell align="right" class="max-lg:hidden">{row.apdex?.toFixed(2) ?? NONE}</Cell>
          <Cell align="right" class="max-xl:hidden">
            <LastSeen period={row.lastSeen} tracing={tracing} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function EndpointName(
  { tracing: { project, scope }, row }: { readonly tracing: Tracing; readonly row: EndpointRow },
) {
  const { method, route, routes, services, protocols } = row;
  const sources = protocols.map((protocol) => PROTOCOL_WORDS[protocol] ?? protocol);
  const facts = [services.join(", "), sources.join(", ")].filter((fact) => fact !== "");
  return (
    <>
      <a
        class="row-link flex min-w-0 items-baseline gap-1.5 font-medium"
        title={routes.map((each) => `${method} ${each}`).join("\n")}
        href={endpointHref(project.id, scope, row.key)}
      >
        <MethodBadge method={method} />
        <bdi class="min-w-0 truncate">{route}</bdi>
      </a>
      <span class="block truncate text-meta text-muted" title={facts.join(" · ")}>
        {facts.join(" · ")}
      </span>
    </>
  );
}

/** Status classes of requests: a bar, and below it the count of each class that occurred. */
function AnswerBar({ answers }: { readonly answers: readonly number[] }) {
  const total = answers.reduce((sum, each) => sum + each, 0);
  const classes = STATUS_CLASSES.map(({ label, words, color }, place) => {
    const requests = answers[place] ?? 0;
    const share = total === 0 ? 0 : requests / total;
    return {
      label: label === "none" ? "no status" : label,
      requests: Math.round(requests),
      share,
      words: `${formatExact(Math.round(requests))} ${words} (${label}), ${formatPercent(share)}`,
      fill: colorNames(color, place).fill,
    };
  }).filter(({ share }) => share > 0);
  return (
    <div class="w-40">
      <Segments segments={classes} />
      <ul class="flex gap-x-2 overflow-hidden text-meta whitespace-nowrap text-muted tabular-nums">
        {classes.map(({ label, requests, words }) => (
          <li key={label} title={words}>{`${label} ${formatCount(requests)}`}</li>
        ))}
      </ul>
    </div>
  );
}

/** An HTTP method, as wide as most of them are. */
function MethodBadge({ method }: { readonly method: string }) {
  return (
    <span class="inline-block min-w-12 shrink-0 rounded-sm bg-sunken px-1.5 text-center font-mono text-meta font-medium text-muted">
      {method}
    </span>
  );
}
