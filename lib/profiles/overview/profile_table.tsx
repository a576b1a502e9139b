import type { ValueType } from "../../formats/pprof/profile.ts";
import { findType } from "../trees/value_units.ts";
import type { NamedTraces } from "../queries/named_traces.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Count } from "../../ui/components/count.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatBytes, formatDuration, formatExact, NONE } from "../../ui/format.ts";
import { traceHref } from "../../ui/tracing_paths.ts";
import type { ProfileValueChoice } from "../params.ts";
import { valueId } from "../params.ts";
import { profileHref } from "../../ui/links_profiles.ts";
import { KIND_NAMES, typeName, valueTexts } from "../words.ts";

export interface ProfileTableProps {
  readonly projectId: string;
  readonly rows: readonly ProfileRow[];
  /** Traces that samples name, by the profile's id. */
  readonly named: ReadonlyMap<string, NamedTraces>;
  /** Values of this type have a column, and are what the profiles open with. */
  readonly value: ProfileValueChoice | null;
  /** @default "Profiles" */
  readonly caption?: string;
}

/** Profiles one by one, each with its links to trace and span. */
export function ProfileTable(props: ProfileTableProps) {
  const { projectId, rows, named, value, caption = "Profiles" } = props;
  return (
    <Table
      caption={caption}
      columns={[
        { label: "Begun" },
        { label: "Service" },
        { label: "Kind", class: "max-lg:hidden" },
        { label: value === null ? "Total" : typeName(value.type), align: "right" },
        { label: "Duration", align: "right", class: "max-sm:hidden" },
        { label: "Samples", align: "right", class: "max-lg:hidden" },
        { label: "Release", class: "max-xl:hidden" },
        { label: "Instance", class: "max-xl:hidden" },
        { label: "Trace" },
        { label: "Size", align: "right", class: "max-lg:hidden" },
      ]}
    >
      {rows.map((row) => (
        <Row key={row.profileId}>
          <Cell>
            <a
              class="row-link font-medium whitespace-nowrap"
              href={profileHref(
                projectId,
                row.profileId,
                value?.kind === row.kind ? [["profile_type", valueId(value)]] : [],
              )}
            >
              <RelativeTime date={row.timestamp} />
            </a>
          </Cell>
          <Cell class="w-full max-w-0 min-w-40">
            <span class="block truncate" title={row.service}>
              <bdi>{row.service || NONE}</bdi>
            </span>
            <span class="block truncate text-meta text-muted" title={row.transaction}>
              <bdi>{[row.environment, row.transaction].filter(Boolean).join(" · ")}</bdi>
            </span>
          </Cell>
          <Cell class="max-lg:hidden">
            <Badge>{KIND_NAMES[row.kind]}</Badge>
          </Cell>
          <Cell align="right">
            <Total row={row} type={value?.type ?? null} />
          </Cell>
          <Cell align="right" class="max-sm:hidden">
            {row.durationMs > 0 ? formatDuration(row.durationMs) : NONE}
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <Count value={row.samples} unit="samples" />
          </Cell>
          <Cell class="max-w-40 max-xl:hidden">
            <bdi class="block truncate" title={row.release}>{row.release || NONE}</bdi>
          </Cell>
          <Cell class="max-w-40 max-xl:hidden">
            <bdi class="block truncate" title={row.instance}>{row.instance || NONE}</bdi>
          </Cell>
          <Cell>
            <TraceLink row={row} named={named.get(row.profileId)} projectId={projectId} />
          </Cell>
          <Cell align="right" class="max-lg:hidden">{formatBytes(row.sizeBytes)}</Cell>
        </Row>
      ))}
    </Table>
  );
}

/** The trace that a profile is of as a whole, else the first that its samples name. */
function TraceLink({ row, named, projectId }: {
  readonly row: ProfileRow;
  readonly named: NamedTraces | undefined;
  readonly projectId: string;
}) {
  const trace = row.traceId === null ? named?.traces[0] : row;
  if (!trace?.traceId) return <span class="text-muted">{NONE}</span>;
  const others = row.traceId === null ? (named?.count ?? 1) - 1 : 0;
  return (
    <span class="whitespace-nowrap">
      <a
        class="above-row-link link font-mono"
        href={traceHref(projectId, trace.traceId, trace.spanId)}
      >
        {trace.traceId.slice(0, 8)}
      </a>
      {others > 0 && (
        <span class="text-meta text-muted" title="More traces are named by its samples">
          {` +${formatExact(others)}`}
        </span>
      )}
    </span>
  );
}

function Total({ row, type }: { readonly row: ProfileRow; readonly type: ValueType | null }) {
  const total = type === null ? row.totals.at(-1) : row.totals[findType(row.totals, type)];
  if (total === undefined) return <span class="text-muted">{NONE}</span>;
  const { text, exact } = valueTexts(total.total, total.unit);
  return <span title={exact}>{text}</span>;
}
