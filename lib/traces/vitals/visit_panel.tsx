import type { VitalSample } from "./vital_samples.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { ExactTime } from "../../ui/components/exact_time.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { visible } from "../../ui/read.ts";
import { formatExact, NONE } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref } from "../../ui/tracing_paths.ts";
import type { PageVitals } from "./load_page_vitals.ts";
import { Rated } from "./rated.tsx";
import { formatVital, ratingOf, type Vital } from "./ratings.ts";
import type { SlowMoment } from "./slow_moments.ts";
import { rangeWords } from "./vital_histogram.tsx";

export interface VisitPanelProps
  extends Pick<PageVitals, "vital" | "samples" | "moments" | "params"> {
  readonly tracing: Tracing;
}

/** The slowest visits, or, where SDKs send vitals apart from the visit, when it was slow. */
export function VisitPanel(props: VisitPanelProps) {
  const { tracing, vital, samples, moments, params: { range } } = props;
  const chosen = range && rangeWords(vital, { from: range.min, to: range.max });
  return (
    <Panel
      title={moments.length > 0 ? "When it was slow" : "Slowest visits"}
      id="visits"
      flush
      {...moments.length > 0
        ? {
          description:
            `Visits send ${vital.label} on its own here, so that the slowest times are listed, each with one of its traces.`,
        }
        : chosen
        ? { description: `Those with ${vital.label} of ${chosen}.` }
        : {}}
    >
      {samples === null
        ? (
          <div class="p-4">
            <Alert kind="warning" title="Reading the visits took too long">
              Choose a shorter time.
            </Alert>
          </div>
        )
        : moments.length > 0
        ? <MomentTable tracing={tracing} vital={vital} moments={moments} />
        : samples.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            {`No visit that is stored measured ${vital.label}${chosen ? ` of ${chosen}` : ""}.`}
          </p>
        )
        : <SampleTable tracing={tracing} vital={vital} samples={samples} />}
    </Panel>
  );
}

interface SampleTableProps {
  readonly tracing: Tracing;
  readonly vital: Vital;
  readonly samples: readonly VitalSample[];
}

function SampleTable({ tracing, vital, samples }: SampleTableProps) {
  return (
    <Table
      caption={`Visits with the largest ${vital.label}`}
      density="comfortable"
      columns={[
        { label: "Trace" },
        { label: vital.label, align: "right" },
        { label: "Release", class: "max-lg:hidden" },
        { label: "Environment", class: "max-md:hidden" },
        { label: "User", class: "max-md:hidden" },
        { label: "When", align: "right" },
      ]}
    >
      {samples.map(({ traceId, spanId, value, release, environment, user, startedAt }) => (
        <Row key={`${traceId}/${spanId}`}>
          <Cell>
            <TraceLink tracing={tracing} traceId={traceId} spanId={spanId} />
          </Cell>
          <Cell align="right">
            <Rated rating={ratingOf(vital, value)}>{formatVital(vital, value)}</Rated>
          </Cell>
          <Cell class="max-w-48 truncate max-lg:hidden">{visible(release) || NONE}</Cell>
          <Cell class="max-w-40 truncate max-md:hidden">{visible(environment) || NONE}</Cell>
          <Cell class="max-w-48 truncate max-md:hidden">
            {user === null ? NONE : visible(user)}
          </Cell>
          <Cell align="right">
            <RelativeTime date={startedAt} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

interface MomentTableProps {
  readonly tracing: Tracing;
  readonly vital: Vital;
  readonly moments: readonly SlowMoment[];
}

function MomentTable({ tracing, vital, moments }: MomentTableProps) {
  return (
    <Table
      caption={`Times with the largest ${vital.label}`}
      density="comfortable"
      columns={[
        { label: "Trace" },
        { label: "From" },
        { label: "Browser", class: "max-md:hidden" },
        { label: "Device", class: "max-md:hidden" },
        { label: "Visits", align: "right" },
        { label: "p75", align: "right" },
      ]}
    >
      {moments.map(({ time, browser, device, p75, count, traceId }) => (
        <Row key={`${time}/${browser}/${device}`}>
          <Cell>
            <TraceLink tracing={tracing} traceId={traceId} spanId={null} />
          </Cell>
          <Cell>
            <ExactTime date={new Date(time)} />
          </Cell>
          <Cell class="max-md:hidden">{visible(browser) || NONE}</Cell>
          <Cell class="max-md:hidden">{visible(device) || NONE}</Cell>
          <Cell align="right">{formatExact(count)}</Cell>
          <Cell align="right">
            <Rated rating={ratingOf(vital, p75)}>{formatVital(vital, p75)}</Rated>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

interface TraceLinkProps {
  readonly tracing: Tracing;
  readonly traceId: string;
  readonly spanId: string | null;
}

function TraceLink({ tracing: { project, scope }, traceId, spanId }: TraceLinkProps) {
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
