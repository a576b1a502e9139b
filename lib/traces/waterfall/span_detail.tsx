import { t } from "../../core/language/translate.ts";
import { Fragment } from "preact";
import type { Measurement, SpanEvent, SpanLink } from "../../records/mod.ts";
import { exactNanos, isSpanFact, msBetween } from "../../records/span_rules.ts";
import type { TraceSpanDetail } from "../trace_types.ts";
import { isEntryTag } from "../../formats/spans/entry_keys.ts";
import { asText, visible } from "../../ui/json.ts";
import { MAX_VALUE_LENGTH, ValueTable } from "../../ui/value_table.tsx";
import { formatBytes, formatDuration, formatExact, formatPercent } from "../../ui/format.ts";
import { traceHref } from "../../ui/links.ts";
import { PanelSection } from "../../ui/components/panel.tsx";

/** Characters of names and values that one table takes; a span may carry a megabyte. */
const ROOM = 24_000;
const MAX_EVENTS = 50;
const MAX_LINKS = 50;

interface SpanDetailProps {
  readonly detail: TraceSpanDetail;
  /** Of the page: links within it stay on it. */
  readonly traceId: string;
  readonly projectId: string;
  /** To which the span was sent: in its list are the traces that have the same. */
  readonly spanProjectId: string;
}

/** What a span carries: measurements, attributes, events, links. */
export function SpanDetailSections({ detail, traceId, projectId, spanProjectId }: SpanDetailProps) {
  return (
    <>
      <Measurements measurements={detail.measurements} />
      <Attributes
        title={t("Attributes")}
        values={detail.attributes}
        linkTo={(name, value) =>
          isSpanFact(name, value) || (detail.isEntry && isEntryTag(name, value))
            ? searchHref(spanProjectId, name, String(value))
            : null}
      />
      <Events events={detail.events} start={BigInt(detail.startNanos)} />
      <Links links={detail.links} traceId={traceId} projectId={projectId} />
      <Attributes
        title={t("Resource")}
        values={detail.resource}
        linkTo={(name, value) =>
          typeof value === "object" ? null : searchHref(spanProjectId, name, String(value))}
      />
    </>
  );
}

function Measurements({ measurements }: { readonly measurements: readonly Measurement[] }) {
  if (measurements.length === 0) return null;
  return (
    <PanelSection title={t("Measurements")}>
      <dl class="trace-facts">
        {measurements.map(({ name, value, unit }) => (
          <Fragment key={name}>
            <dt class="text-muted wrap-anywhere">{visible(name)}</dt>
            <dd class="tabular-nums">{measured(value, unit)}</dd>
          </Fragment>
        ))}
      </dl>
    </PanelSection>
  );
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  nanosecond: 1e-6,
  microsecond: 1e-3,
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
};

function measured(value: number, unit: string): string {
  const ms = MILLISECONDS[unit];
  if (ms !== undefined) return formatDuration(value * ms);
  if (unit === "byte") return formatBytes(value);
  if (unit === "ratio") return formatPercent(value);
  if (unit === "percent") return formatPercent(value / 100);
  return unit === "" || unit === "none" ? formatExact(value) : `${formatExact(value)} ${unit}`;
}

/** The traces that have the same; null for what no search can ask for. */
function searchHref(projectId: string, key: string, value: string): string | null {
  if (value === "" || value.length > 200 || !/^[\w.-]+$/.test(key)) return null;
  const quoted = `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  return `/projects/${projectId}/traces?${new URLSearchParams({ query: `${key}:${quoted}` })}`;
}

function Attributes({ title, values, linkTo }: {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly linkTo: (name: string, value: unknown) => string | null;
}) {
  const { shown, left } = fitting(values);
  if (shown.length === 0) return null;
  return (
    <PanelSection title={title}>
      <ValueTable label={title} entries={shown} linkTo={linkTo} />
      {left > 0 && (
        <p class="mt-1 text-muted">{t("{n} more is stored|{n} more are stored", { n: left })}</p>
      )}
    </PanelSection>
  );
}

/** By name, as many as there is room for. */
function fitting(values: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(values)
    .map(([name, value]): [string, unknown] => [visible(name), value])
    .sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  let room = ROOM;
  const shown = entries.filter(([name, value]) =>
    (room -= name.length + Math.min(asText(value).length, MAX_VALUE_LENGTH)) >= 0
  );
  return { shown, left: entries.length - shown.length };
}

function Events({ events, start }: {
  readonly events: readonly SpanEvent[];
  /** Of the span, in nanoseconds since 1970. */
  readonly start: bigint;
}) {
  if (events.length === 0) return null;
  return (
    <PanelSection title={t("Events")}>
      <ol class="space-y-2">
        {events.slice(0, MAX_EVENTS).map(({ time, fine, name, attributes }, index) => (
          <li key={index}>
            <p class="flex gap-2">
              <span class="shrink-0 text-muted tabular-nums">
                {formatDuration(msBetween(start, exactNanos(time, fine)))}
              </span>
              <span class="min-w-0 wrap-anywhere" dir="auto">{visible(name)}</span>
            </p>
            {Object.keys(attributes).length > 0 && (
              <ValueTable
                label={t("Attributes of {name}", { name: visible(name) })}
                entries={fitting(attributes).shown}
              />
            )}
          </li>
        ))}
      </ol>
      {events.length > MAX_EVENTS && (
        <p class="mt-1 text-muted">
          {t("{n} more is stored|{n} more are stored", { n: events.length - MAX_EVENTS })}
        </p>
      )}
    </PanelSection>
  );
}

function Links({ links, traceId, projectId }: {
  readonly links: readonly SpanLink[];
  readonly traceId: string;
  readonly projectId: string;
}) {
  if (links.length === 0) return null;
  return (
    <PanelSection title={t("Links")}>
      <ul class="space-y-2">
        {links.slice(0, MAX_LINKS).map((link, index) => (
          <li key={index}>
            <a
              class="link font-mono wrap-anywhere"
              href={traceHref(projectId, link.traceId, link.spanId)}
            >
              {link.traceId === traceId
                ? t("span {id}", { id: link.spanId })
                : t("trace {id}", { id: link.traceId })}
            </a>
            {Object.keys(link.attributes).length > 0 && (
              <ValueTable
                label={t("Attributes of the link")}
                entries={fitting(link.attributes).shown}
              />
            )}
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
