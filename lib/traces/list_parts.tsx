import { type Message, message, t } from "../core/language/translate.ts";
import type { ComponentChildren, VNode } from "preact";
import { otlpTarget } from "../accounts/keys.ts";
import type { SpanCategory } from "../records/mod.ts";
import type { PageScope, PageView } from "../releases/request_scope.ts";
import { piecesOf } from "../store/stats/periods.ts";
import type { Sampled } from "../store/stats/stats.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { Count } from "../ui/components/values.tsx";
import { formatDateTime, formatRelative, NONE } from "../ui/format.ts";
import { type SectionId, sectionPath, traceHref } from "../ui/links.ts";
import { DEFAULT_RANGE, type ExtraParams, isNarrowed, scopedHref } from "../ui/scope.ts";
import { ProjectPage } from "../ui/scoped_page.tsx";
import { LIST_WORDS, type Listed } from "./list_words.ts";
import {
  ListBox,
  type ListPage,
  SearchForm,
  type SortColumn,
  SortedTable,
  type Sorting,
} from "../ui/sorted_list.tsx";

/** A list of counts by name, as it was asked for. */
export interface StatList<T> {
  readonly list: ListPage<T>;
  readonly sorting: Sorting;
  readonly query: string;
  /** There is more than is read. */
  readonly isCut: boolean;
  /** Of all that match, on whichever page. */
  readonly sampled: Sampled;
}

interface StatListPageProps<T> extends StatList<T>, PageView {
  readonly section: SectionId;
  readonly what: Listed;
  readonly description: string;
  /** Parameters of the page beside its scope. */
  readonly keep: Readonly<Record<string, string>>;
  readonly placeholder: string;
  /** What stands above the list, the search form among it. */
  readonly head: (form: VNode, hrefOf: (changed: ExtraParams) => string) => ComponentChildren;
  /** A search or a filter of the page narrows the list. */
  readonly isSearched: boolean;
  /** The list without search and scope. @default the section's path */
  readonly wholeHref?: string;
  readonly caption: string;
  readonly columns: readonly SortColumn<T>[];
  readonly rowKey: (row: T) => string;
  readonly cells: Readonly<Record<string, (row: T) => ComponentChildren>>;
  /** Below the list. */
  readonly children?: ComponentChildren;
}

/** A page with a searched, sorted and paged list of counts by name. */
export function StatListPage<T>(props: StatListPageProps<T>) {
  const { shell, pageScope, section, what, keep, list, sorting, query, isCut, sampled } = props;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, section);
  const { query: _, ...others } = keep;
  const hrefOf = (changed: ExtraParams) => scopedHref(path, scope, { ...keep, ...changed });
  const form = (
    <SearchForm
      path={path}
      scope={scope}
      query={query}
      label={t(LIST_WORDS[what].search)}
      placeholder={props.placeholder}
      keep={others}
    />
  );
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section={section}
      sampled={sampled}
      keep={keep}
      description={props.description}
    >
      {props.head(form, hrefOf)}
      <ListBox
        list={list}
        unit={LIST_WORDS[what].count}
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            pageScope={pageScope}
            what={what}
            path={props.wholeHref ?? path}
            isSearched={props.isSearched}
          />
        }
      >
        <SortedTable
          caption={props.caption}
          columns={props.columns}
          rows={list.rows}
          rowKey={props.rowKey}
          cells={props.cells}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
        />
      </ListBox>
      {props.children}
    </ProjectPage>
  );
}

interface NoTracesProps {
  readonly pageScope: PageScope;
  readonly what: Listed;
  /** The page without search and filters. */
  readonly path: string;
  /** A search or a filter of the page narrows the list. @default false */
  readonly isSearched?: boolean;
  /** The page is about one thing by its name: the way to all of its kind. */
  readonly others?: { readonly href: string; readonly label: string };
}

/** In place of a list: why there is nothing, and what would fill it. */
export function NoTraces(props: NoTracesProps) {
  const { serverDsn } = props.pageScope;
  return serverDsn === undefined || hasNarrowed(props)
    ? <NoneHere {...props} />
    : <NoneYet {...props} dsn={serverDsn} />;
}

function hasNarrowed({ isSearched = false, pageScope: { scope } }: NoTracesProps): boolean {
  return isSearched || isNarrowed(scope) || scope.services.length > 0;
}

function NoneHere(props: NoTracesProps) {
  const { pageScope: { scope }, what, path, isSearched = false, others } = props;
  const isNarrow = hasNarrowed(props);
  const actions = [
    // There is no more to be seen than the last 14 days of everything.
    ...isNarrow || scope.range !== DEFAULT_RANGE
      ? [{ href: path, label: t(LIST_WORDS[what].showAll) }]
      : [],
    ...others === undefined ? [] : [others],
  ];
  return (
    <EmptyState
      icon="search"
      title={t(isNarrow ? LIST_WORDS[what].noMatch : LIST_WORDS[what].noneNow)}
      actions={actions.map(({ href, label }) => (
        <LinkButton key={href} href={href}>{label}</LinkButton>
      ))}
    >
      {isSearched
        ? t("Nothing was received in this time and scope that the search asks for.")
        : t("Nothing was received in this time and scope.")}
      {others !== undefined && ` ${t("It may go by another name by now.")}`}
    </EmptyState>
  );
}

function NoneYet({ pageScope: { project }, what, dsn }: NoTracesProps & { readonly dsn: string }) {
  const setup = sectionPath(project.id, "setup");
  const { endpoint, publicKey } = otlpTarget(dsn);
  return (
    <EmptyState
      icon="traces"
      title={t(LIST_WORDS[what].noneYet)}
      actions={
        <>
          <LinkButton href={setup}>{t("Open the setup page")}</LinkButton>
          <LinkButton href={`${setup}?platform=opentelemetry`}>OpenTelemetry</LinkButton>
        </>
      }
    >
      {t("They come from Sentry's SDKs with tracing turned on:")}
      <div class="mt-2 mb-3 text-left">
        <CodeBlock
          id="sentry-snippet"
          label="Sentry SDK"
          language="javascript"
          code={`Sentry.init({
  dsn: "${dsn}",
  tracesSampleRate: 1.0,
});`}
        />
      </div>
      {t("and from OpenTelemetry, whose exporters read these from the environment:")}
      <div class="mt-2 mb-3 text-left">
        <CodeBlock
          id="otel-snippet"
          label="OpenTelemetry"
          language="bash"
          code={`export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${publicKey}"
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`}
        />
      </div>
      {t("The setup page has more of them, for each language.")}
    </EmptyState>
  );
}

interface TraceLinkProps {
  readonly pageScope: Pick<PageScope, "project" | "scope">;
  readonly traceId: string;
  readonly spanId: string | null;
}

/** The beginning of a trace's id; the whole row leads to the trace. */
export function TraceLink({ pageScope: { project, scope }, traceId, spanId }: TraceLinkProps) {
  return (
    <a
      class="row-link font-mono text-accent"
      title={traceId}
      href={traceHref(project.id, traceId, spanId, scope)}
    >
      {traceId.slice(0, 8)}
    </a>
  );
}

/** How many calls, of which some may have been sampled away. */
export function CallCount({ calls }: { readonly calls: number }) {
  const n = Math.round(calls);
  return <Count value={n} unit="{n} call|{n} calls" />;
}

/** How many transactions. */
export function TransactionCount({ count }: { readonly count: number }) {
  return <Count value={count} unit="{n} transaction|{n} transactions" />;
}

/** The name of what a row is about; the whole row leads there. */
export function NameLink({ name, href }: { readonly name: string; readonly href: string }) {
  return (
    <a class="row-link block truncate" title={name} href={href}>
      <bdi>{name}</bdi>
    </a>
  );
}

interface LastSeenProps {
  /** Start of the last period with a count; null prints a dash. */
  readonly period: Date | null;
  readonly pageScope: Pick<PageScope, "interval" | "now">;
}

const CURRENT = {
  stat_minutes: message("just now"),
  stat_hours: message("this hour"),
  stat_days: message("today"),
} as const;

/** When something was last counted, as exactly as counts are kept: within a minute, an hour or a day. */
export function LastSeen({ period, pageScope: { interval, now } }: LastSeenProps) {
  if (period === null) return <span>{NONE}</span>;
  const piece = piecesOf(interval, "span", now).find(({ start, end }) =>
    period >= start && period < end
  );
  const periodMs = piece?.periodMs ?? 0;
  const end = new Date(Math.min(now.getTime(), period.getTime() + periodMs));
  const isNow = end.getTime() === now.getTime();
  return (
    <time
      datetime={period.toISOString()}
      title={t("Between {start} and {end}", {
        start: formatDateTime(period),
        end: formatDateTime(end),
      })}
      class="whitespace-nowrap"
    >
      {isNow ? t(CURRENT[piece?.table ?? "stat_minutes"]) : formatRelative(end, now)}
    </time>
  );
}

/** What people call the work of a category. */
export const CATEGORY_WORDS: Readonly<Record<SpanCategory, Message>> = {
  "": "Own code",
  http: "HTTP calls",
  db: "Database",
  cache: "Cache",
  queue: "Queues",
  rpc: "RPC calls",
  render: "Rendering",
  resource: "Resources",
  file: "Files",
  ai: "AI",
};
