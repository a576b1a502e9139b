import type { ComponentChildren } from "preact";
import type { TraceSpanDetail } from "../trace_types.ts";
import { CopyButton } from "../../ui/components/copy_button.tsx";
import { visible } from "../../ui/read.ts";
import { formatDuration, formatExact, formatInstant, formatPercent } from "../../ui/format.ts";
import { failedWithin, type TraceModel, type TraceNode } from "./trace_model.ts";
import { tracePath } from "../../ui/trace_paths.ts";

interface NodeFactsProps {
  readonly model: TraceModel;
  readonly node: TraceNode;
  /** Null while it is read. */
  readonly detail: TraceSpanDetail | null;
}

/** The figures of a span, a group, or a parent that is missing. */
export function NodeFacts(props: NodeFactsProps) {
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
        <Aside>{`${formatPercent(share)} of the trace`}</Aside>
      </Fact>
      <Fact name="Self time">
        {formatDuration(selfMs)}{" "}
        {durationMs > 0 && <Aside>{`${formatPercent((selfMs ?? 0) / durationMs)} of it`}</Aside>}
      </Fact>
      {critical > 0 && (
        <Fact name="Critical path">
          {formatDuration(critical)} <Aside>the trace waited for it</Aside>
        </Fact>
      )}
      <Fact name="Started">
        {`${formatDuration(node.start)} into the trace`} <Aside>{exactTime(span.startNanos)}</Aside>
      </Fact>
      {node.shift !== 0 && (
        <Fact name="Clock">
          {`drawn ${formatDuration(Math.abs(node.shift))} ${node.shift > 0 ? "later" : "earlier"}`}
          {" "}
          <Aside>than its machine says, to fit into its parent</Aside>
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
        <CopyButton target="trace-span-id" what="span id" isCompact class="ml-1.5 align-middle" />
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
        Siblings with the same operation, whose names differ in numbers and quoted texts at most.
        Unfold the row to see each of them.
      </p>
    </>
  );
}

function MissingFacts({ node }: NodeFactsProps) {
  return (
    <p class="text-muted">
      The spans below name <code class="text-ink">{node.key.slice("missing-".length)}</code>{" "}
      as their parent, and nothing with this id is stored. It may still run or be on its way, may
      not have been sampled, may come from a program that reports to no project you can see, or its
      process may have ended before it could send it.
    </p>
  );
}

function TextFact({ name, value }: { readonly name: string; readonly value: string }) {
  if (value === "") return null;
  return (
    <Fact name={name}>
      <span class="wrap-anywhere" dir="auto">{visible(value)}</span>
    </Fact>
  );
}

function Fact({ name, children }: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <dt class="text-muted">{name}</dt>
      <dd class="min-w-0 tabular-nums">{children}</dd>
    </>
  );
}

function Aside({ children }: { readonly children: ComponentChildren }) {
  return <span class="ml-1 text-meta text-muted">{children}</span>;
}

function statusOf(status: string, isFailed: boolean): string {
  if (!isFailed) return status;
  return status === "" ? "failed" : `${status} (failed)`;
}

function exactTime(nanos: string): string {
  const whole = BigInt(nanos);
  return formatInstant(new Date(Number(whole / 1_000_000n)), Number(whole % 1_000_000n));
}
