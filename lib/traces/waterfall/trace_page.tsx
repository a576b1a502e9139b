import { type Message, t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import Waterfall from "@/islands/Waterfall.tsx";
import type { Project } from "../../accounts/projects.ts";
import { CopyButton, LinkButton } from "../../ui/components/button.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { Alert, EmptyState } from "../../ui/components/panel.tsx";
import { ExactTime } from "../../ui/components/values.tsx";
import { formatDuration, formatExact, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { sectionPath, traceDataPath, tracePath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import type { ProfileReading } from "../span_profile.tsx";
import type { Trace } from "../trace_types.ts";
import type { SpanReading } from "./span_panel.tsx";
import { STATIC_ROWS, StaticWaterfall } from "./static_waterfall.tsx";
import { TraceLists } from "./trace_lists.tsx";
import type { LegendEntry, TraceModel } from "./trace_model.ts";

export interface TracePageView {
  readonly shell: Shell;
  readonly project: Project;
  readonly trace: Trace;
  /** Those that have parts of it which the reader may see. */
  readonly projects: readonly Project[];
  readonly model: TraceModel;
  /** Key of the node whose panel is open, as the address says, and its attributes. */
  readonly openKey: string | null;
  readonly reading: SpanReading;
  /** Of the profile of the span whose panel is open. */
  readonly profile: ProfileReading;
  readonly unfoldsGroups: boolean;
  /** Query that carries the scope to the other sections, with its `?`. */
  readonly scopeSearch: string;
  /** The packed trace as JSON when it is small; null: the browser fetches it. */
  readonly packed: string | null;
  readonly now: Date;
}

const STATIC_ID = "trace-static";

/** All that is stored of one trace: its spans as a waterfall, its errors, logs and profiles. */
export function TracePage(view: TracePageView) {
  const { shell, project, projects, trace, model, scopeSearch, openKey, reading, unfoldsGroups } =
    view;
  const path = tracePath(project.id, trace.traceId);
  const hrefOf = (key: string | null, unfolds = unfoldsGroups) =>
    withQuery(path, scopeSearch, key, unfolds);
  return (
    <Page
      shell={shell}
      section="traces"
      crumbs={[
        { label: project.name, href: `/projects/${project.id}${scopeSearch}` },
        { label: t("Traces"), href: `${sectionPath(project.id, "traces")}${scopeSearch}` },
        { label: t("Trace {id}", { id: trace.traceId.slice(0, 8) }) },
      ]}
      scopeSearch={scopeSearch}
    >
      {view.packed === null && (
        // Else the script would have to run first.
        <link
          rel="preload"
          as="fetch"
          crossorigin="anonymous"
          href={traceDataPath(project.id, trace.traceId)}
        />
      )}
      <TraceHeader
        {...{ trace, model, projects }}
        hrefIn={(id) => withQuery(tracePath(id, trace.traceId), "", openKey, unfoldsGroups)}
      />
      <TraceNotices model={model} now={view.now} />
      {model.spanCount === 0 ? <NoSpans /> : (
        <section
          aria-label={t("Waterfall of {trace}", { trace: traceTitle(trace, model) })}
          class="trace"
        >
          <div id={STATIC_ID}>
            <StaticWaterfall
              {...{ model, openKey, reading, unfoldsGroups, hrefOf }}
              projectId={project.id}
              profile={view.profile}
            />
          </div>
          <Waterfall
            staticId={STATIC_ID}
            projectId={project.id}
            traceId={trace.traceId}
            packed={view.packed}
          />
        </section>
      )}
      <TraceLists
        {...{ trace, projects, hrefOf }}
        start={model.start}
        projectId={project.id}
      />
    </Page>
  );
}

/** Traces of so many rows come with the page; larger ones are fetched after it is painted. */
export const PACKED_SPANS = STATIC_ROWS;

function withQuery(
  path: string,
  scopeSearch: string,
  key: string | null,
  unfoldsGroups: boolean,
): string {
  const query = new URLSearchParams(scopeSearch);
  if (key !== null) query.set("span", key);
  if (unfoldsGroups) query.set("groups", "open");
  return query.size === 0 ? path : `${path}?${query}`;
}

function NoSpans() {
  return (
    <div class="rounded-lg border border-line">
      <EmptyState title={t("No spans of this trace")}>
        {t(
          "Something happened in this trace, but no span of it is stored: tracing is off in the SDK, the trace was not sampled, or its spans are older than what is kept.",
        )}
      </EmptyState>
    </div>
  );
}

interface TraceHeaderProps {
  readonly trace: Trace;
  /** Those that have parts of it. */
  readonly projects: readonly Project[];
  /** The page of the trace in a project. */
  readonly hrefIn: (projectId: string) => string;
  readonly model: TraceModel;
}

/** What a trace is called: after its root, else after the first thing that happened in it. */
export function traceTitle({ errors, logs }: Trace, { root, nodes }: TraceModel): string {
  const named = root?.kind === "span" ? root : nodes.find(({ kind }) => kind === "span");
  const title = named?.label || named?.span?.op || errors[0]?.title || logs[0]?.body || t("Trace");
  return visible(title).replace(/\s+/g, " ").slice(0, 200);
}

/** Which trace it is, and its figures. */
function TraceHeader({ trace, model, projects, hrefIn }: TraceHeaderProps) {
  const { durationMs, spanCount, services } = model;
  const failed = model.failedBefore.at(-1) ?? 0;
  const start = startOf(trace, model);
  return (
    <>
      <PageHeader
        title={<bdi>{traceTitle(trace, model)}</bdi>}
        description={
          <span class="flex flex-wrap items-center gap-x-2">
            {t("Trace")}
            <code id="trace-id" class="text-sm wrap-anywhere text-ink">{trace.traceId}</code>
            <CopyButton target="trace-id" what={t("trace id")} isCompact />
          </span>
        }
      />
      <dl class="mb-3 flex flex-wrap gap-x-8 gap-y-2">
        <Figure name="Started">{start === null ? NONE : <ExactTime date={start} />}</Figure>
        <Figure name="Duration">{spanCount === 0 ? NONE : formatDuration(durationMs)}</Figure>
        <Figure name="Spans">
          {formatExact(spanCount)}
          {failed > 0 && <span class="ml-1.5 text-danger">{t("{n} failed", { n: failed })}</span>}
        </Figure>
        <Figure name="Errors">
          {trace.errors.length === 0 ? "0" : (
            <a class="link text-danger" href="#errors">
              {t("{n} error|{n} errors", { n: trace.errors.length })}
            </a>
          )}
        </Figure>
        {projects.length > 1 && (
          <Figure name="Projects">
            <span class="flex flex-wrap gap-x-3">
              {projects.map(({ id, name }) => (
                <a key={id} class="link max-w-48 truncate" href={hrefIn(id)}>{visible(name)}</a>
              ))}
            </span>
          </Figure>
        )}
        {services.length > 0 && (
          <Figure name={services.length === 1 ? "Service" : "Services"}>
            <Services services={services} />
          </Figure>
        )}
      </dl>
    </>
  );
}

/** When the first thing of a trace happened; null when nothing is known. */
function startOf({ errors, logs, profiles }: Trace, { start, spanCount }: TraceModel): Date | null {
  if (spanCount > 0) return new Date(start);
  const times = [...errors, ...logs, ...profiles].map(({ time }) => time);
  return times.length === 0 ? null : new Date(Math.min(...times));
}

const MAX_SERVICES = 8;

function Services({ services }: { readonly services: readonly LegendEntry[] }) {
  return (
    <span class="flex flex-wrap items-center gap-x-3">
      {services.slice(0, MAX_SERVICES).map(({ id, label, colour, spans }) => (
        <span
          key={id}
          class={`trace-c${colour} inline-flex items-center gap-1.5`}
          title={t("{n} span|{n} spans", { n: spans })}
        >
          <span class="trace-dot" />
          <bdi class="max-w-48 truncate">{visible(label)}</bdi>
        </span>
      ))}
      {services.length > MAX_SERVICES && (
        <span class="text-muted">{t("{n} more", { n: services.length - MAX_SERVICES })}</span>
      )}
    </span>
  );
}

function Figure({ name, children }: {
  readonly name: Message;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{t(name)}</dt>
      <dd class="tabular-nums">{children}</dd>
    </div>
  );
}

/** Spans may still be on their way for so long after the last one that came. */
const SETTLED_AFTER_MS = 5 * 60_000;

interface TraceNoticesProps {
  readonly model: TraceModel;
  readonly now: Date;
}

/** What one must know to read the trace right; nothing for most traces. */
function TraceNotices({ model, now }: TraceNoticesProps) {
  const texts = notices(model, now);
  if (texts.length === 0) return null;
  return (
    <Alert kind="info" class="mb-3 text-sm">
      <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>
    </Alert>
  );
}

function notices({ notes, start, durationMs }: TraceModel, now: Date): string[] {
  const isSettled = now.getTime() - (start + durationMs) > SETTLED_AFTER_MS;
  const texts: string[] = [];
  if (notes.isCut) {
    texts.push(t("The trace is larger than what is read at once: its latest spans are left out."));
  }
  if (notes.hiddenSpans > 0) {
    texts.push(
      t(
        "{n} span of this trace is in a project you cannot see.|{n} spans of this trace are in projects you cannot see.",
        { n: notes.hiddenSpans },
      ),
    );
  }
  if (notes.isRootMissing) {
    texts.push(
      !isSettled
        ? t(
          "The root span has not arrived yet. A span is sent when it ends: look again in a moment.",
        )
        : notes.hiddenSpans > 0
        ? t("The root span is missing: it was not sent, or is in a project you cannot see.")
        : t(
          "The root span is missing: it was not sent, or belongs to a program that does not report to this organization.",
        ),
    );
  } else if (notes.missingParents > 0) {
    texts.push(
      t("The parents of some spans are missing ({n}): their place in the tree is not known.", {
        n: notes.missingParents,
      }),
    );
  }
  if (notes.roots > 1) {
    texts.push(
      t(
        "{n} span stands at the top.|{n} spans stand at the top: none of them is below another.",
        { n: notes.roots },
      ),
    );
  }
  if (notes.movedSpans > 0) {
    texts.push(
      t(
        "The clocks of the services differ: a span that did not fit into its parent is drawn inside it, with all below it ({n} span).|The clocks of the services differ: a span that did not fit into its parent is drawn inside it, with all below it ({n} spans).",
        { n: notes.movedSpans },
      ),
    );
  }
  if (notes.ringsCut > 0) {
    texts.push(
      t(
        "{n} span named a span below as parent; drawn as a root.|{n} spans named a span below as parent; drawn as roots.",
        { n: notes.ringsCut },
      ),
    );
  }
  return texts;
}

export interface MissingTraceView {
  readonly shell: Shell;
  readonly project: Project;
  /** Why there is no trace. */
  readonly reason: string;
  /** Query that carries the scope to the other sections, with its `?`. */
  readonly scopeSearch: string;
}

/** In place of a trace that is not there: why, and where to look. */
export function MissingTracePage({ shell, project, reason, scopeSearch }: MissingTraceView) {
  const list = `${sectionPath(project.id, "traces")}${scopeSearch}`;
  return (
    <Page
      shell={shell}
      section="traces"
      crumbs={[
        { label: project.name, href: `/projects/${project.id}${scopeSearch}` },
        { label: t("Traces"), href: list },
        { label: t("Not found") },
      ]}
      scopeSearch={scopeSearch}
    >
      <PageHeader title={t("Trace")} />
      <div class="rounded-lg border border-line bg-surface">
        <EmptyState
          icon="traces"
          title={t("No such trace")}
          actions={<LinkButton href={list}>{t("All traces")}</LinkButton>}
        >
          {reason}
        </EmptyState>
      </div>
    </Page>
  );
}
