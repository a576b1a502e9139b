import type { ComponentChildren } from "preact";
import type { Project } from "../../accounts/projects.ts";
import type { Trace } from "../trace_types.ts";
import { CopyButton } from "../../ui/components/copy_button.tsx";
import { ExactTime } from "../../ui/components/exact_time.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { visible } from "../../ui/read.ts";
import { formatDuration, formatExact, formatExactOf, NONE } from "../../ui/format.ts";
import type { LegendEntry } from "./colours.ts";
import type { TraceModel } from "./trace_model.ts";

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
  const title = named?.label || named?.span?.op || errors[0]?.title || logs[0]?.body || "Trace";
  return visible(title).replace(/\s+/g, " ").slice(0, 200);
}

/** Which trace it is, and its figures. */
export function TraceHeader({ trace, model, projects, hrefIn }: TraceHeaderProps) {
  const { durationMs, spanCount, services } = model;
  const failed = model.failedBefore.at(-1) ?? 0;
  const start = startOf(trace, model);
  return (
    <>
      <PageHeader
        title={<bdi>{traceTitle(trace, model)}</bdi>}
        description={
          <span class="flex flex-wrap items-center gap-x-2">
            Trace
            <code id="trace-id" class="text-sm wrap-anywhere text-ink">{trace.traceId}</code>
            <CopyButton target="trace-id" what="trace id" isCompact />
          </span>
        }
      />
      <dl class="mb-3 flex flex-wrap gap-x-8 gap-y-2">
        <Figure name="Started">{start === null ? NONE : <ExactTime date={start} />}</Figure>
        <Figure name="Duration">{spanCount === 0 ? NONE : formatDuration(durationMs)}</Figure>
        <Figure name="Spans">
          {formatExact(spanCount)}
          {failed > 0 && <span class="ml-1.5 text-danger">{`${formatExact(failed)} failed`}</span>}
        </Figure>
        <Figure name="Errors">
          {trace.errors.length === 0 ? "0" : (
            <a class="link text-danger" href="#errors">
              {formatExactOf(trace.errors.length, "errors")}
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
          title={formatExactOf(spans, "spans")}
        >
          <span class="trace-dot" />
          <bdi class="max-w-48 truncate">{visible(label)}</bdi>
        </span>
      ))}
      {services.length > MAX_SERVICES && (
        <span class="text-muted">{`${services.length - MAX_SERVICES} more`}</span>
      )}
    </span>
  );
}

function Figure({ name, children }: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{name}</dt>
      <dd class="tabular-nums">{children}</dd>
    </div>
  );
}
