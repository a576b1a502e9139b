import { Panel } from "../../ui/components/panel.tsx";
import { formatCount, formatExact, formatPercent } from "../../ui/format.ts";
import { asText, visible } from "../../ui/json.ts";
import { Folded, ValueTable } from "../../ui/value_table.tsx";
import type { EventRow } from "../events.ts";
import type { TagDistribution } from "../tags.ts";
import type { EventView } from "./view.ts";
import { t } from "../../core/language/translate.ts";

export type SearchLink = (key: string, value: string) => string;

interface TagPanelProps {
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** Where all issues with that tag are listed. */
  readonly linkTo: SearchLink;
}

/** The tags of this event; each leads to the issues that share it. */
export function TagPanel({ tags, linkTo }: TagPanelProps) {
  return (
    <Panel id="tags" title={t("Tags ({n})", { n: tags.length })}>
      <ul class="flex flex-wrap gap-1.5">
        {tags.map(([key, value], index) => (
          <li key={index} class="max-w-full">
            <a
              href={linkTo(key, value)}
              title={t("Issues with {key}: {value}", {
                key: visible(key),
                value: visible(value),
              })}
              class="flex max-w-full overflow-hidden rounded-md border border-line text-sm hover:border-accent"
            >
              <span class="shrink-0 bg-sunken px-2 py-0.5 text-muted">
                {visible(key) || t("(empty)")}
              </span>
              <bdi class="min-w-0 truncate px-2 py-0.5 font-mono">{visible(value)}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Values of one tag, and tags, that are shown at once; the others stand behind "more". */
const VALUES_SHOWN = 3;
const KEYS_SHOWN = 8;

interface TagSpreadPanelProps {
  readonly spreads: readonly TagDistribution[];
  /** Tags of the event on the page, whose values are marked. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly linkTo: SearchLink;
}

/**
 * Whom and what the issue hits: each tag with its most frequent values as bars. What is the same in every
 * event tells nothing about the spread and stands behind one line.
 */
export function TagSpreadPanel({ spreads, tags, linkTo }: TagSpreadPanelProps) {
  const mine = new Map(tags);
  const events = Math.max(...spreads.map(({ total }) => total));
  const { uniform = [], varied = [] } = Object.groupBy(
    spreads,
    ({ values, total }) => values.length === 1 && total === events ? "uniform" : "varied",
  );
  const rows = varied.map((spread) => (
    <Spread key={spread.key} spread={spread} mine={mine.get(spread.key)} linkTo={linkTo} />
  ));
  return (
    <Panel
      id="tag-spread"
      title={t("Tags of this issue")}
      description={t("Over the latest {n} event in scope|Over the latest {n} events in scope", {
        n: events,
      })}
    >
      <div class="space-y-4">
        {rows.slice(0, KEYS_SHOWN)}
        {rows.length > KEYS_SHOWN && (
          <Folded title={t("{n} more tag|{n} more tags", { n: rows.length - KEYS_SHOWN })}>
            <div class="space-y-4">{rows.slice(KEYS_SHOWN)}</div>
          </Folded>
        )}
        {uniform.length > 0 && (
          <Folded
            title={events === 1 ? t("{n} tag|{n} tags", { n: uniform.length }) : t(
              "Same in all {events} events: {n} tag|Same in all {events} events: {n} tags",
              { events, n: uniform.length },
            )}
            isOpen={varied.length === 0}
          >
            <ValueTable
              label={t("Tags that are the same in all events")}
              entries={uniform.map(({ key, values }) => [key, values[0]?.value])}
              linkTo={(key, value) => linkTo(key, String(value))}
            />
          </Folded>
        )}
      </div>
    </Panel>
  );
}

interface SpreadProps {
  readonly spread: TagDistribution;
  readonly mine: string | undefined;
  readonly linkTo: SearchLink;
}

function Spread({ spread, mine, linkTo }: SpreadProps) {
  const { key, values } = spread;
  const bars = values.map(({ value, count }) => (
    <Bar
      key={value}
      value={value}
      count={count}
      total={spread.total}
      isMine={value === mine}
      href={linkTo(key, value)}
    />
  ));
  return (
    <section>
      <h3 class="text-sm font-medium wrap-anywhere">{visible(key) || t("(empty)")}</h3>
      <ul>{bars.slice(0, VALUES_SHOWN)}</ul>
      {bars.length > VALUES_SHOWN && (
        <Folded title={t("{n} more|{n} more", { n: bars.length - VALUES_SHOWN })}>
          <ul>{bars.slice(VALUES_SHOWN)}</ul>
        </Folded>
      )}
    </section>
  );
}

interface BarProps {
  readonly value: string;
  readonly count: number;
  readonly total: number;
  readonly isMine: boolean;
  readonly href: string;
}

function Bar({ value, count, total, isMine, href }: BarProps) {
  const share = total === 0 ? 0 : count / total;
  return (
    <li>
      <a
        href={href}
        class="group/bar block py-0.5 text-sm"
        title={t("{value}: {count} of {total} events", {
          value: visible(value),
          count: formatExact(count),
          total: formatExact(total),
        })}
      >
        <span class="flex items-baseline gap-2">
          <bdi class="min-w-0 truncate font-mono text-meta group-hover/bar:underline">
            {visible(value) || t("(empty)")}
          </bdi>
          {isMine && <span class="shrink-0 text-meta text-accent">{t("this event")}</span>}
          <span class="ml-auto shrink-0 text-meta text-muted tabular-nums">
            {formatPercent(share)} · {formatCount(count)}
          </span>
        </span>
        <svg
          class="block h-1 w-full rounded-sm bg-sunken"
          viewBox="0 0 100 1"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect width={Math.max(1, share * 100)} height="1" class="fill-series-1" />
        </svg>
      </a>
    </li>
  );
}

interface HighlightStripProps {
  readonly highlights: readonly Highlight[];
  /** Where the issues with a tag are listed. */
  readonly linkTo: SearchLink;
}

/** The few facts of an event that one looks for first, in one row that wraps. */
export function HighlightStrip({ highlights, linkTo }: HighlightStripProps) {
  if (highlights.length === 0) return null;
  return (
    <dl class="flex flex-wrap gap-x-6 gap-y-2">
      {highlights.map(({ label, value, tag }) => (
        <div key={label} class="max-w-64 min-w-0">
          <dt class="text-meta text-muted">{label}</dt>
          <dd class="truncate text-sm" title={value}>
            <bdi>{tag ? <a class="link" href={linkTo(...tag)}>{value}</a> : value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** One of the few facts that stand above everything else of an event. */
interface Highlight {
  readonly label: string;
  readonly value: string;
  /** What issues are found by that have the same; null where the event has no such tag. */
  readonly tag: readonly [key: string, value: string] | null;
}

/** Where, in which release, on what and for whom it happened: whatever of that is known. */
export function highlightsOf(
  event: Pick<EventRow, "environment" | "release" | "transaction" | "tags">,
  view: EventView,
): readonly Highlight[] {
  const context = (key: string) => {
    const entries = Object.fromEntries(view.contexts.find((one) => one.key === key)?.entries ?? []);
    return [entries.name ?? entries.model, entries.version].map(asText).map((text) => text.trim())
      .filter(Boolean).join(" ");
  };
  const [firstOfUser] = view.user;
  const facts: [label: string, value: string, tag: string][] = [
    [t("Environment"), visible(event.environment), "environment"],
    [t("Release"), visible(event.release), "release"],
    [t("Transaction"), visible(event.transaction), "transaction"],
    [t("Browser"), context("browser"), "browser"],
    [t("System"), context("client_os") || context("os"), context("client_os") ? "client_os" : "os"],
    [t("Runtime"), context("runtime"), "runtime"],
    [t("Device@@event"), context("device"), "device"],
    [t("User"), firstOfUser ? asText(firstOfUser[1]) : "", "user"],
  ];
  return facts.filter(([, value]) => value !== "").map(([label, value, key]) => ({
    label,
    value,
    tag: event.tags.find(([each]) => each === key) ?? null,
  }));
}
