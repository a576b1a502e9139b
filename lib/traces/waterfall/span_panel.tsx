import { type Message, rich, t } from "../../core/language/translate.ts";
import { eventPath, tracePath } from "../../ui/links.ts";
import type { ComponentChildren } from "preact";
import { LevelBadge } from "../../ui/components/badge.tsx";
import { CopyButton } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Alert, PanelSection } from "../../ui/components/panel.tsx";
import { formatDuration, formatExact, formatInstant, formatPercent } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { type ProfileReading, SpanProfilePanel, spanProfiles } from "../span_profile.tsx";
import type { TraceSpanDetail } from "../trace_types.ts";
import { type Mark, marksBetween } from "./marks.ts";
import { SpanDetailSections } from "./span_detail.tsx";
import { failedWithin, type TraceModel, type TraceNode } from "./trace_model.ts";

/** How far the reading of a span's attributes has come; groups and missing parents have none. */
export type SpanReading =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "read"; readonly detail: TraceSpanDetail };

interface SpanPanelProps {
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
            {visible(node.label) || span?.op || t("unnamed span")}
          </h2>
          {span && kind === "span" && span.op !== "" && (
            <p class="text-meta text-muted wrap-anywhere">{visible(span.op)}</p>
          )}
        </div>
        <a
          href={closeHref}
          onClick={onClose}
          aria-label={t("Close the span")}
          title={t("Close (Esc)")}
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
        {reading.kind === "loading" && (
          <p class="text-muted" role="status">{t("Reading attributes…")}</p>
        )}
        {reading.kind === "failed" && (
          <Alert kind="warning" title={t("The attributes could not be read")}>
            <p>{t("What the waterfall shows is complete without them.")}</p>
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
  return <button type="button" class="link mt-1" onClick={onRetry}>{t("Try again")}</button>;
}

function SpanErrors({ marks }: { readonly marks: readonly Mark[] }) {
  const errors = marks.filter((mark) => mark.kind === "error");
  if (errors.length === 0) return null;
  return (
    <PanelSection title={t("Errors")}>
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
    <PanelSection title={t("Logs")}>
      <ul class="space-y-1">
        {logs.slice(0, MAX_LOGS).map(({ time, level, title }, index) => (
          <li key={index} class="flex gap-2">
            <span class="shrink-0 text-muted tabular-nums">{formatDuration(time)}</span>
            <span class="shrink-0 text-muted">{level}</span>
            <span class="min-w-0 font-mono wrap-anywhere" dir="auto">{visible(title)}</span>
          </li>
        ))}
      </ul>
      {logs.length > MAX_LOGS && (
        <p class="mt-1 text-muted">{t("{n} more", { n: logs.length - MAX_LOGS })}</p>
      )}
    </PanelSection>
  );
}

interface NodeFactsProps {
  readonly model: TraceModel;
  readonly node: TraceNode;
  /** Null while it is read. */
  readonly detail: TraceSpanDetail | null;
}

/** The figures of a span, a group, or a parent that is missing. */
function NodeFacts(props: NodeFactsProps) {
  if (props.node.kind === "group") return <GroupFacts {...props} />;
  if (props.node.kind === "missing") return <MissingFacts {...props} />;
  return <SpanFacts {...props} />;
}

function SpanFacts({ model, node, detail }: NodeFactsProps) {
  const { span, selfMs, durationMs } = node;
  if (!span) return null;
  const share = model.durationMs > 0 ? durationMs / model.durationMs : 1;
  const project = model.projects.get(span.projectId);
  const critical = node.critical.reduce((sum, { start, end }) => sum + end - start, 0);
  return (
    <dl class="trace-facts">
      <Fact name="Duration">
        <strong>{formatDuration(durationMs)}</strong>{" "}
        <Aside>{t("{share} of the trace", { share: formatPercent(share) })}</Aside>
      </Fact>
      <Fact name="Self time">
        {formatDuration(selfMs)}{" "}
        {durationMs > 0 && (
          <Aside>{t("{share} of it", { share: formatPercent((selfMs ?? 0) / durationMs) })}</Aside>
        )}
      </Fact>
      {critical > 0 && (
        <Fact name="Critical path">
          {formatDuration(critical)} <Aside>{t("the trace waited for it")}</Aside>
        </Fact>
      )}
      <Fact name="Started">
        {t("{duration} into the trace", { duration: formatDuration(node.start) })}{" "}
        <Aside>{exactTime(span.startNanos)}</Aside>
      </Fact>
      {node.shift !== 0 && (
        <Fact name="Clock">
          {node.shift > 0
            ? t("drawn {duration} later", { duration: formatDuration(node.shift) })
            : t("drawn {duration} earlier", { duration: formatDuration(-node.shift) })}{" "}
          <Aside>{t("than its machine says, to fit into its parent")}</Aside>
        </Fact>
      )}
      <TextFact name="Status" value={statusOf(span.status, span.isFailed)} />
      <TextFact name="Kind" value={span.kind} />
      <TextFact name="Service" value={span.service} />
      {project !== undefined && (
        <Fact name="Project">
          <a class="link" href={tracePath(project.id, model.traceId)}>{visible(project.name)}</a>
        </Fact>
      )}
      <TextFact name="Environment" value={detail?.environment ?? ""} />
      <TextFact name="Release" value={detail?.release ?? ""} />
      <TextFact name="SDK" value={detail?.sdk ?? ""} />
      <TextFact name="Origin" value={detail?.origin ?? ""} />
      <Fact name="Span id">
        <code id="trace-span-id">{span.spanId}</code>
        <CopyButton
          target="trace-span-id"
          what={t("span id")}
          isCompact
          class="ml-1.5 align-middle"
        />
      </Fact>
      {span.parentSpanId !== null && (
        <Fact name="Parent">
          <code>{span.parentSpanId}</code>
        </Fact>
      )}
    </dl>
  );
}

function GroupFacts({ model, node }: NodeFactsProps) {
  const index = model.byKey.get(node.key) ?? 0;
  return (
    <>
      <dl class="trace-facts">
        <Fact name="Spans">{formatExact(node.children)}</Fact>
        <Fact name="Failed">{formatExact(failedWithin(model, index))}</Fact>
        <Fact name="Together">{formatDuration(node.durationMs)}</Fact>
        <Fact name="On average">{formatDuration(node.durationMs / node.children)}</Fact>
        <Fact name="From first to last">{formatDuration(node.end - node.start)}</Fact>
        <TextFact name="Service" value={node.span?.service ?? ""} />
      </dl>
      <p class="text-muted">
        {t(
          "Siblings with the same operation, whose names differ in numbers and quoted texts at most. Unfold the row to see each of them.",
        )}
      </p>
    </>
  );
}

function MissingFacts({ node }: NodeFactsProps) {
  return (
    <p class="text-muted">
      {rich(
        "The spans below name {id} as their parent, and nothing with this id is stored. It may still run or be on its way, may not have been sampled, may come from a program that reports to no project you can see, or its process may have ended before it could send it.",
        { id: <code class="text-ink">{node.key.slice("missing-".length)}</code> },
      )}
    </p>
  );
}

function TextFact({ name, value }: { readonly name: Message; readonly value: string }) {
  if (value === "") return null;
  return (
    <Fact name={name}>
      <span class="wrap-anywhere" dir="auto">{visible(value)}</span>
    </Fact>
  );
}

function Fact({ name, children }: {
  readonly name: Message;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <dt class="text-muted">{t(name)}</dt>
      <dd class="min-w-0 tabular-nums">{children}</dd>
    </>
  );
}

function Aside({ children }: { readonly children: ComponentChildren }) {
  return <span class="ml-1 text-meta text-muted">{children}</span>;
}

function statusOf(status: string, isFailed: boolean): string {
  if (!isFailed) return status;
  return status === "" ? t("failed") : t("{status} (failed)", { status });
}

function exactTime(nanos: string): string {
  const whole = BigInt(nanos);
  return formatInstant(new Date(Number(whole / 1_000_000n)), Number(whole % 1_000_000n));
}
