import type { TraceRow } from "./trace_list.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { visible } from "../../ui/read.ts";
import { formatDuration, formatExact, formatExactOf, NONE } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref } from "../../ui/tracing_paths.ts";
import { ShareOf } from "../../ui/share_of.tsx";
import { ServiceChips, type ServiceColors, serviceColors } from "./service_chips.tsx";

export interface TraceTableProps {
  readonly tracing: Tracing;
  readonly traces: readonly TraceRow[];
}

/** Traces, one a row. */
export function TraceTable({ tracing, traces }: TraceTableProps) {
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
