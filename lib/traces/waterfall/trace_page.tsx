import type { Project } from "../../accounts/projects.ts";
import type { Trace } from "../trace_types.ts";
import Waterfall from "@/islands/Waterfall.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { Page } from "../../ui/components/page.tsx";
import type { ProfileReading } from "../span_profile.tsx";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import type { TraceModel } from "./trace_model.ts";
import { traceDataPath, tracePath } from "../../ui/trace_paths.ts";
import type { SpanReading } from "./span_panel.tsx";
import { STATIC_ROWS, StaticWaterfall } from "./static_waterfall.tsx";
import { TraceHeader, traceTitle } from "./trace_header.tsx";
import { TraceLists } from "./trace_lists.tsx";
import { TraceNotices } from "./trace_notices.tsx";

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
        { label: "Traces", href: `${sectionPath(project.id, "traces")}${scopeSearch}` },
        { label: `Trace ${trace.traceId.slice(0, 8)}` },
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
      {model.spanCount === 0
        ? <NoSpans />
        : (
          <section aria-label={`Waterfall of ${traceTitle(trace, model)}`} class="trace">
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
      <EmptyState title="No spans of this trace">
        Something happened in this trace, but no span of it is stored: tracing is off in the SDK,
        the trace was not sampled, or its spans are older than what is kept.
      </EmptyState>
    </div>
  );
}
