import { Count } from "../../ui/components/count.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatDuration, formatRate, NONE } from "../../ui/format.ts";
import { LastSeen } from "../last_seen.tsx";
import { FailureShare } from "../../ui/failure_share.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { PROTOCOL_WORDS } from "./protocol_words.ts";
import { sortHeader, type Sorting } from "../../ui/sorting.ts";
import { AnswerBar } from "./answer_bar.tsx";
import type { EndpointRow } from "./endpoint_rows.ts";
import { ENDPOINT_COLUMNS } from "./load_list.ts";
import { MethodBadge } from "./method_badge.tsx";
import { endpointHref } from "../../ui/endpoints_paths.ts";

export interface EndpointTableProps {
  readonly tracing: Tracing;
  readonly rows: readonly EndpointRow[];
  readonly sorting: Sorting;
  readonly hrefOf: (sort: string) => string;
}

/** HTTP endpoints: how many requests, how they were answered, how fast. */
export function EndpointTable({ tracing, rows, sorting, hrefOf }: EndpointTableProps) {
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
