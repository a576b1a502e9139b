import { Alert } from "../../ui/components/alert.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { LevelBadge } from "../../ui/components/level_badge.tsx";
import { visible } from "../../ui/read.ts";
import { formatDuration } from "../../ui/format.ts";
import { eventPath } from "../../ui/links_issues.ts";
import { type ProfileReading, SpanProfilePanel } from "../span_profile.tsx";
import { spanProfiles } from "../span_profiles.ts";
import type { TraceSpanDetail } from "../trace_types.ts";
import { type Mark, marksBetween } from "./marks.ts";
import type { TraceModel } from "./trace_model.ts";
import { PanelSection } from "../../ui/panel_section.tsx";
import { SpanDetailSections } from "./span_detail.tsx";
import { NodeFacts } from "./span_facts.tsx";

/** How far the reading of a span's attributes has come; groups and missing parents have none. */
export type SpanReading =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "read"; readonly detail: TraceSpanDetail };

export interface SpanPanelProps {
  readonly model: TraceModel;
  /** Of the node that the panel is about. */
  readonly index: number;
  readonly reading: SpanReading;
  /** Of the first of the span's profiles. */
  readonly profile: ProfileReading;
  readonly projectId: string;
  /** The page without the panel. */
  readonly closeHref: string;
  /** Closes the panel without leaving the page. */
  readonly onClose?: (event: Event) => void;
  readonly onRetry?: () => void;
  readonly onRetryProfile?: () => void;
}

const HEADING_ID = "trace-span-heading";
const MAX_LOGS = 20;

/** All that is known of one span, beside the waterfall. */
export function SpanPanel(props: SpanPanelProps) {
  const { model, index, reading, projectId, closeHref, onClose, onRetry } = props;
  const node = model.nodes[index];
  if (!node) return null;
  const marks = marksBetween(model.marks, index, index + 1);
  const { kind, span } = node;
  return (
    <aside class="trace-panel" aria-labelledby={HEADING_ID}>
      <div class="sticky top-0 z-1 flex items-start gap-2 border-b border-line bg-surface px-4 py-2.5">
        <div class="min-w-0 flex-1">
          <h2
            id={HEADING_ID}
            class="max-h-24 overflow-y-auto font-semibold wrap-anywhere"
            dir="auto"
          >
            {visible(node.label) || span?.op || "unnamed span"}
          </h2>
          {span && kind === "span" && span.op !== "" && (
            <p class="text-meta text-muted wrap-anywhere">{visible(span.op)}</p>
          )}
        </div>
        <a
          href={closeHref}
          onClick={onClose}
          aria-label="Close the span"
          title="Close (Esc)"
          class="-mr-1.5 rounded-md p-1.5 text-muted hover:bg-hover hover:text-ink"
        >
          <Icon name="close" />
        </a>
      </div>
      <div class="space-y-5 p-4 text-sm">
        <NodeFacts
          model={model}
          node={node}
          detail={reading.kind === "read" ? reading.detail : null}
        />
        <SpanErrors marks={marks} />
        <SpanProfilePanel
          profiles={spanProfiles(model, index)}
          reading={props.profile}
          durationMs={node.durationMs ?? 0}
          onRetry={props.onRetryProfile}
        />
        {reading.kind === "loading" && <p class="text-muted" role="status">Reading attributes…</p>}
        {reading.kind === "failed" && (
          <Alert kind="warning" title="The attributes could not be read">
            <p>What the waterfall shows is complete without them.</p>
            {onRetry && <RetryButton onRetry={onRetry} />}
          </Alert>
        )}
        {reading.kind === "read" && (
          <SpanDetailSections
            detail={reading.detail}
            traceId={model.traceId}
            projectId={projectId}
            spanProjectId={span?.projectId ?? projectId}
          />
        )}
        <SpanLogs marks={marks} />
      </div>
    </aside>
  );
}

function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  return <button type="button" class="link mt-1" onClick={onRetry}>Try again</button>;
}

function SpanErrors({ marks }: { readonly marks: readonly Mark[] }) {
  const errors = marks.filter((mark) => mark.kind === "error");
  if (errors.length === 0) return null;
  return (
    <PanelSection title="Errors">
      <ul class="space-y-1">
        {errors.map(({ eventId, issueId, level, title, projectId }) => (
          <li key={eventId} class="flex items-baseline gap-2">
            <LevelBadge level={level} />
            <a class="link min-w-0 wrap-anywhere" href={eventPath(projectId, issueId, eventId)}>
              {visible(title)}
            </a>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function SpanLogs({ marks }: { readonly marks: readonly Mark[] }) {
  const logs = marks.filter((mark) => mark.kind === "log");
  if (logs.length === 0) return null;
  return (
    <PanelSection title="Logs">
      <ul class="space-y-1">
        {logs.slice(0, MAX_LOGS).map(({ time, level, title }, index) => (
          <li key={index} class="flex gap-2">
            <span class="shrink-0 text-muted tabular-nums">{formatDuration(time)}</span>
            <span class="shrink-0 text-muted">{level}</span>
            <span class="min-w-0 font-mono wrap-anywhere" dir="auto">{visible(title)}</span>
          </li>
        ))}
      </ul>
      {logs.length > MAX_LOGS && <p class="mt-1 text-muted">{`${logs.length - MAX_LOGS} more`}</p>}
    </PanelSection>
  );
}
