import { Panel } from "../components/panel.tsx";
import { formatCount, formatExact, formatPercent } from "../format.ts";
import { visible } from "./read.ts";

/** How the values of one tag spread over the recent events. */
export interface TagSpread {
  readonly key: string;
  /** Events that carry the tag. */
  readonly total: number;
  /** Most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

type SearchLink = (key: string, value: string) => string;

export interface TagPanelProps {
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** Where all issues with that tag are listed. */
  readonly linkTo: SearchLink;
}

/** The tags of this event; each leads to the issues that share it. */
export function TagPanel({ tags, linkTo }: TagPanelProps) {
  return (
    <Panel id="tags" title={`Tags (${tags.length})`}>
      <ul class="flex flex-wrap gap-1.5">
        {tags.map(([key, value], index) => (
          <li key={index} class="max-w-full">
            <a
              href={linkTo(key, value)}
              title={`Issues with ${visible(key)}: ${visible(value)}`}
              class="flex max-w-full overflow-hidden rounded-md border border-line text-sm hover:border-accent"
            >
              <span class="shrink-0 bg-sunken px-2 py-0.5 text-muted">{visible(key)}</span>
              <bdi class="min-w-0 truncate px-2 py-0.5 font-mono">{visible(value)}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Values of one tag that are shown at once, and behind "more". */
const VALUES_SHOWN = 3;
const VALUES_MORE = 20;
const KEYS_SHOWN = 8;

export interface TagSpreadPanelProps {
  readonly spreads: readonly TagSpread[];
  /** Tags of the event on the page, whose values are marked. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly linkTo: SearchLink;
}

/** Whom and what the issue hits: each tag with its most frequent values as bars. */
export function TagSpreadPanel({ spreads, tags, linkTo }: TagSpreadPanelProps) {
  const mine = new Map(tags);
  const rows = spreads.map((spread) => (
    <Spread key={spread.key} spread={spread} mine={mine.get(spread.key)} linkTo={linkTo} />
  ));
  return (
    <Panel id="tag-spread" title="Tags of this issue" description="Over its latest 1,000 events">
      <div class="space-y-4">
        {rows.slice(0, KEYS_SHOWN)}
        {rows.length > KEYS_SHOWN && (
          <details>
            <summary class="text-sm text-accent underline">
              {`${rows.length - KEYS_SHOWN} more tags`}
            </summary>
            <div class="mt-3 space-y-4">{rows.slice(KEYS_SHOWN)}</div>
          </details>
        )}
      </div>
    </Panel>
  );
}

interface SpreadProps {
  readonly spread: TagSpread;
  readonly mine: string | undefined;
  readonly linkTo: SearchLink;
}

function Spread({ spread, mine, linkTo }: SpreadProps) {
  const { key, values } = spread;
  const bars = values.slice(0, VALUES_SHOWN + VALUES_MORE).map(({ value, count }) => (
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
      <h3 class="text-sm font-medium wrap-anywhere">{visible(key)}</h3>
      <ul>{bars.slice(0, VALUES_SHOWN)}</ul>
      {bars.length > VALUES_SHOWN && (
        <details>
          <summary class="text-meta text-muted underline hover:text-ink">
            {`${bars.length - VALUES_SHOWN} more values`}
          </summary>
          <ul>{bars.slice(VALUES_SHOWN)}</ul>
        </details>
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
        title={`${visible(value)}: ${formatExact(count)} of ${formatExact(total)} events`}
      >
        <span class="flex items-baseline gap-2">
          <bdi class="min-w-0 truncate font-mono text-meta group-hover/bar:underline">
            {visible(value) || "(empty)"}
          </bdi>
          {isMine && <span class="shrink-0 text-meta text-accent">this event</span>}
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
