import { t } from "../core/language/translate.ts";
import { HiddenFields } from "../ui/components/fields.tsx";
import type { ComponentChildren } from "preact";
import LogChart from "@/islands/LogChart.tsx";
import { LOG_LEVELS, type LogLevel } from "../records/mod.ts";
import type { CursorPage } from "../store/query_limits.ts";
import type { ChartMarker } from "../ui/charts/mod.ts";
import { LogLevelBadge } from "../ui/components/badge.tsx";
import { Button, LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { PageHeader } from "../ui/components/page.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { CursorPages } from "../ui/components/table.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { formatExact } from "../ui/format.ts";
import { asText, visible } from "../ui/json.ts";
import { sectionPath, traceHref } from "../ui/links.ts";
import { EVERYTHING, type Interval, scopedHref, scopeParams } from "../ui/scope.ts";
import { ScopedPage, type ScopedView } from "../ui/scoped_page.tsx";
import type { LogTerm } from "./index_logs.ts";
import { LevelChart, LevelMark } from "./level_chart.tsx";
import type { CountedLogs, LogRow } from "./queries.ts";

export interface LogListView extends ScopedView {
  readonly interval: Interval;
  /** Of a server's key. */
  readonly dsn: string;
  readonly params: LogParams;
  /** Null when the search took too long. */
  readonly logs: CursorPage<LogRow> | null;
  readonly bucketSec: number;
  /** Deploys within the time. */
  readonly markers: readonly ChartMarker[];
  /** Null when counting takes a while: the page shows them later. */
  readonly counts: CountedLogs | null;
}

/** A project's logs, newest first, as far as the search asks for them. */
export function LogListPage(view: LogListView) {
  const { project, scope, interval, params, logs, counts, bucketSec } = view;
  const path = sectionPath(project.id, "logs");
  return (
    <ScopedPage
      view={view}
      section="logs"
      crumbs={[
        { label: project.name, href: scopedHref(path, scope) },
        { label: t("Logs") },
      ]}
      path={path}
      keep={{ query: params.query }}
    >
      <PageHeader title={t("Logs")} />
      <SearchForm {...view} />
      <Panel class="mt-4">
        {counts === null ? <LaterChart view={view} path={path} /> : (
          <LevelChart
            start={interval.start}
            end={interval.end}
            bucketSec={bucketSec}
            counts={counts.counts}
            levels={counts.countsOf}
            markers={view.markers}
          />
        )}
      </Panel>
      <div class="mt-4 rounded-lg border border-line bg-surface">
        {logs === null
          ? (
            <div class="p-4">
              <Alert kind="warning" title={t("The search took too long")}>
                {t("Choose a shorter time, or add a level, a logger or a trace to the search.")}
              </Alert>
            </div>
          )
          : logs.rows.length === 0
          ? <NoLogs view={view} path={path} />
          : (
            <>
              <ul class="divide-y divide-line">
                {logs.rows.map((log) => <LogItem key={log.logId} log={log} view={view} />)}
              </ul>
              <CursorPages
                page={logs}
                label={t("Pages of logs")}
                summary={t("Showing {n} log|Showing {n} logs", { n: logs.rows.length })}
                hrefOf={(cursor) =>
                  scopedHref(path, scope, { query: params.query, cursor, level: params.levels })}
              />
            </>
          )}
      </div>
    </ScopedPage>
  );
}

/** The chart that comes later; without script, a link to the page that waits for it. */
function LaterChart({ view, path }: { readonly view: LogListView; readonly path: string }) {
  const { scope, params, interval, bucketSec, markers } = view;
  const asked = { query: params.query, level: params.levels };
  return (
    <>
      <LogChart
        href={scopedHref(`${path}/counts`, scope, asked)}
        start={interval.start.getTime()}
        end={interval.end.getTime()}
        bucketSec={bucketSec}
        markers={markers}
      />
      <noscript>
        <a class="link" href={scopedHref(path, scope, { ...asked, count: "all" })}>
          {t("Count them")}
        </a>
      </noscript>
    </>
  );
}

function SearchForm({ project, scope, params, counts }: LogListView) {
  return (
    <form method="get" action={sectionPath(project.id, "logs")} class="space-y-2">
      <HiddenFields pairs={scopeParams(scope)} />
      <div class="flex gap-2">
        <input
          type="search"
          name="query"
          value={params.query}
          aria-label={t("Search logs")}
          placeholder={t("words, logger:shop.*, server:web-1, trace:…, user.id:7, !level:debug")}
          class="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5"
        />
        <Button icon="search">{t("Search")}</Button>
      </div>
      <fieldset class="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <legend class="sr-only">{t("Levels")}</legend>
        {LOG_LEVELS.map((level) => (
          <label key={level} class="flex items-center gap-1.5">
            <input
              type="checkbox"
              name="level"
              value={level}
              checked={params.levels.includes(level)}
              class="size-4 accent-accent-fill"
            />
            <LevelMark level={level} />
            <code class="font-sans">{level}</code>
            <span class="text-meta text-muted tabular-nums" data-log-level={level}>
              {counts === null ? "" : formatExact(counts.byLevel.get(level) ?? 0)}
            </span>
          </label>
        ))}
      </fieldset>
    </form>
  );
}

function LogItem({ log, view }: { readonly log: LogRow; readonly view: LogListView }) {
  const { project, scope } = view;
  const entries = Object.entries(log.attributes);
  return (
    <li class="px-4 py-1.5 text-sm">
      <details>
        <summary class="flex cursor-pointer items-baseline gap-3 max-sm:flex-wrap">
          <span class="w-24 shrink-0 text-meta text-muted">
            <RelativeTime date={log.timestamp} />
          </span>
          <span class="w-14 shrink-0">
            <LogLevelBadge level={log.level} />
          </span>
          <span class="min-w-0 flex-1 truncate font-mono max-sm:basis-full" dir="auto">
            {visible(log.body.slice(0, 500))}
          </span>
          {log.logger !== "" && (
            <span class="shrink-0 text-meta text-muted max-md:hidden">{visible(log.logger)}</span>
          )}
        </summary>
        <div class="mt-2 mb-2 space-y-3 rounded-md bg-sunken p-3">
          <p class="font-mono wrap-anywhere whitespace-pre-wrap" dir="auto">{visible(log.body)}</p>
          <dl class="grid gap-x-6 gap-y-1 sm:grid-cols-[14rem_1fr]">
            <Entry name={t("time")}>
              <ExactTime date={log.timestamp} nanos={log.nanos} />
            </Entry>
            <TextEntry name={t("logger")} value={log.logger} />
            <TextEntry name={t("server")} value={log.server} />
            <TextEntry name={t("environment")} value={log.environment} />
            <TextEntry name={t("release")} value={log.release} />
            {log.traceId && (
              <Entry name={t("trace")}>
                <a class="link font-mono" href={traceHref(project.id, log.traceId, log.spanId)}>
                  {log.traceId}
                </a>{" "}
                <a
                  class="link text-meta"
                  href={scopedHref(sectionPath(project.id, "logs"), scope, {
                    query: `trace:${log.traceId}`,
                  })}
                >
                  {t("its logs")}
                </a>
              </Entry>
            )}
            {entries.map(([name, value]) => (
              <TextEntry key={name} name={name} value={attributeText(value)} />
            ))}
          </dl>
        </div>
      </details>
    </li>
  );
}

function attributeText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : asText(value) || String(value);
}

function TextEntry({ name, value }: { readonly name: string; readonly value: string }) {
  if (value === "") return null;
  return (
    <Entry name={name}>
      <span class="font-mono wrap-anywhere" dir="auto">{visible(value)}</span>
    </Entry>
  );
}

function Entry(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
) {
  return (
    <>
      <dt class="min-w-0 truncate text-muted" title={visible(name)}>{visible(name)}</dt>
      <dd class="min-w-0">{children}</dd>
    </>
  );
}

/** By language: what is copied is one program. */
const SNIPPETS = (dsn: string) =>
  [
    {
      label: "JavaScript",
      language: "javascript",
      code: `Sentry.init({
  dsn: "${dsn}",
  enableLogs: true,
});
Sentry.logger.info("Order placed", { orderId: 4711 });`,
    },
    {
      label: "Python",
      language: "python",
      code: `sentry_sdk.init(
    dsn="${dsn}",
    enable_logs=True,
)
sentry_sdk.logger.info("Order placed: {order_id}", order_id=4711)`,
    },
  ] as const;

function NoLogs({ view, path }: { readonly view: LogListView; readonly path: string }) {
  const setupHref = sectionPath(view.project.id, "setup");
  const { scope, params } = view;
  const isNarrowed = params.query !== "" || params.levels.length > 0 ||
    scopedHref("", scope) !== scopedHref("", EVERYTHING);
  if (isNarrowed) {
    return (
      <EmptyState
        icon="search"
        title={t("No log matches")}
        actions={<LinkButton href={path}>{t("Show all logs")}</LinkButton>}
      >
        {t("Nothing was logged in this time and scope that the search asks for.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="logs"
      title={t("No logs in the last 14 days")}
      actions={<LinkButton href={setupHref}>{t("Open the setup page")}</LinkButton>}
    >
      {t("Turn logs on in the SDK, and log:")}
      {SNIPPETS(view.dsn).map((snippet) => (
        <div key={snippet.label} class="mt-3 text-left">
          <p class="mb-1">{snippet.label}</p>
          <CodeBlock id={`logs-${snippet.language}`} {...snippet} />
        </div>
      ))}
    </EmptyState>
  );
}

interface LogParams {
  /** The search as it was typed. */
  readonly query: string;
  readonly levels: readonly LogLevel[];
  readonly words: readonly string[];
  readonly terms: readonly LogTerm[];
}

const MAX_QUERY = 500;
const MAX_PARTS = 20;

/** `word`, `"several words"`, `key:value`, `key:"a value"`, `!key:value`. */
const PART = /(!?)(?:([\w.-]{1,100}):)?("(?:[^"\\]|\\.)*"|\S+)/g;

/** Reads the search of the Logs page; whatever is typed asks for something. */
export function parseLogParams(params: URLSearchParams): LogParams {
  const query = (params.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const words: string[] = [];
  const terms: LogTerm[] = [];
  for (const [whole, not, key, text = ""] of [...query.matchAll(PART)].slice(0, MAX_PARTS)) {
    const value = text.startsWith('"') && text.endsWith('"') && text.length > 1
      ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1")
      : text;
    if (key === undefined) words.push(not === "!" ? whole : value);
    else terms.push({ key, value, isNegated: not === "!" });
  }
  const wanted = params.getAll("level");
  return { query, words, terms, levels: LOG_LEVELS.filter((level) => wanted.includes(level)) };
}
