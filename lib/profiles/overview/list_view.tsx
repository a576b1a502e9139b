import { type Message, t } from "../../core/language/translate.ts";
import { paramsOf, profileHref, queryHref, traceHref } from "../../ui/links.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { Badge } from "../../ui/components/badge.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Cell, Pagination, Row, Table } from "../../ui/components/table.tsx";
import { Count, RelativeTime } from "../../ui/components/values.tsx";
import { formatBytes, formatDuration, formatExact, NONE } from "../../ui/format.ts";
import { type ProfileValueChoice, valueId } from "../params.ts";
import type { ProfileRow } from "../queries/profile_query.ts";
import { type NamedTraces, PROFILE_ORDERS, type ProfileOrder } from "../queries/stored_profiles.ts";
import { NothingMerged } from "../selection_form.tsx";
import { findType } from "../trees/stacks.ts";
import { KIND_NAMES, typeName, valueTexts } from "../words.ts";
import type { LookedView } from "./load_overview.ts";

const ORDER_NAMES: Readonly<Record<ProfileOrder, Message>> = {
  newest: "Newest@@profile",
  longest: "Longest@@profile",
  largest: "Largest@@profile",
};

/** The newest profiles of the selection, as a beginning. */
export function ProfilesPanel(
  { pageScope, looked: { list, named, value, volume }, path, base }: LookedView,
) {
  if (list.rows.length === 0) return null;
  return (
    <Panel
      title={t("Newest profiles")}
      id="profiles"
      flush
      actions={
        <a class="link text-sm" href={queryHref(path, [...base, ["view", "list"]])}>
          {t("The one profile|All {n} profiles", { n: volume.count })}
        </a>
      }
    >
      <ProfileTable
        projectId={pageScope.project.id}
        rows={list.rows}
        named={named}
        value={value}
        caption={t("Newest profiles")}
      />
    </Panel>
  );
}

/** All profiles of the selection, page by page. */
export function ListView({ pageScope, looked, path, base, view: { order } }: LookedView) {
  const { list, named, value, volume } = looked;
  const hrefOf = (sort: ProfileOrder, cursor: string | null) =>
    queryHref(path, [
      ...base,
      ...paramsOf({ view: "list", order: sort === "newest" ? null : sort, cursor }),
    ]);
  if (list.rows.length === 0 && list.previousCursor === null) return <NothingMerged left={0} />;
  const names = PROFILE_ORDERS.map((each) => t(ORDER_NAMES[each]));
  return (
    <Panel title={t("Profiles")} id="profiles" flush>
      <div class="px-4 pb-3">
        <ChoiceLinks
          label={t("Order")}
          choices={names}
          chosen={t(ORDER_NAMES[order])}
          hrefOf={(name) => hrefOf(PROFILE_ORDERS[names.indexOf(name)] ?? "newest", null)}
        />
      </div>
      <ProfileTable
        projectId={pageScope.project.id}
        rows={list.rows}
        named={named}
        value={value}
      />
      <div class="border-t border-line">
        <Pagination
          label={t("Pages of profiles")}
          summary={t("{shown} of {n} profile|{shown} of {n} profiles", {
            shown: list.rows.length,
            n: volume.count,
          })}
          previousHref={list.previousCursor && hrefOf(order, list.previousCursor)}
          nextHref={list.nextCursor && hrefOf(order, list.nextCursor)}
        />
      </div>
    </Panel>
  );
}

interface ProfileTableProps {
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
function ProfileTable(props: ProfileTableProps) {
  const { projectId, rows, named, value, caption = t("Profiles") } = props;
  return (
    <Table
      caption={caption}
      columns={[
        { label: t("Begun") },
        { label: t("Service") },
        { label: t("Kind"), class: "max-lg:hidden" },
        { label: value === null ? t("Total") : typeName(value.type), align: "right" },
        { label: t("Duration"), align: "right", class: "max-sm:hidden" },
        { label: t("Samples"), align: "right", class: "max-lg:hidden" },
        { label: t("Release"), class: "max-xl:hidden" },
        { label: t("Instance"), class: "max-xl:hidden" },
        { label: t("Trace") },
        { label: t("Size"), align: "right", class: "max-lg:hidden" },
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
            <Badge>{t(KIND_NAMES[row.kind])}</Badge>
          </Cell>
          <Cell align="right">
            <Total row={row} type={value?.type ?? null} />
          </Cell>
          <Cell align="right" class="max-sm:hidden">
            {row.durationMs > 0 ? formatDuration(row.durationMs) : NONE}
          </Cell>
          <Cell align="right" class="max-lg:hidden">
            <Count value={row.samples} unit="{n} sample|{n} samples" />
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
        <span class="text-meta text-muted" title={t("More traces are named by its samples")}>
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
