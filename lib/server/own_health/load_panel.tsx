import { t } from "../../core/language/translate.ts";
import { MEASURES } from "../../core/measures/measures.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { type Backlog, readBacklog } from "../../store/backlog.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { formatBytes, formatDuration, formatExact, withDecimalMark } from "../../ui/format.ts";
import type { Services } from "../services.ts";
import { type RecentLoad, recentLoad, type Spread } from "./recent.ts";

const LIMIT_MS = 2_000;

/** How the process and its background work keep up. */
export interface LoadView {
  /** Null in the first seconds of the process. */
  readonly load: RecentLoad | null;
  readonly waiting: { readonly records: number; readonly ageSec: number };
  /** Null while Postgres is away. */
  readonly backlog: Backlog | null;
  readonly memoryBytes: number;
}

/** Never throws: the page is most needed while a store is away. */
export async function loadOwnHealth({ sql }: Services): Promise<LoadView> {
  const backlog = await withTimeLimit(readBacklog(sql), LIMIT_MS).catch(() => null);
  return {
    load: recentLoad(),
    waiting: { records: MEASURES.queueRecords.total(), ageSec: MEASURES.queueAge.total() },
    backlog,
    memoryBytes: Deno.memoryUsage().rss,
  };
}

export function LoadPanel({ load, waiting, backlog, memoryBytes }: LoadView) {
  return (
    <Panel
      title={t("Load of the last minute")}
      id="load"
      description={t(
        "Of this process, and how far background work is behind. For alarms, see /metrics in docs/operations.md.",
      )}
    >
      <dl class="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-4">
        {load === null
          ? <Fact label={t("Requests")} value={t("measured in a few seconds")} />
          : <LoadFacts {...load} />}
        <Fact
          label={t("Wait for a commit")}
          value={t("{n} record|{n} records", { n: waiting.records })}
          more={waiting.records === 0 ? null : formatDuration(waiting.ageSec * 1_000)}
        />
        {backlog !== null && <BacklogFacts {...backlog} />}
        <Fact label={t("Memory")} value={formatBytes(memoryBytes)} />
      </dl>
    </Panel>
  );
}

function LoadFacts(load: RecentLoad) {
  return (
    <>
      <Fact
        label={t("Requests")}
        value={aSecond(load.stored + load.spooled)}
        more={load.refused > 0 ? t("{rate} refused", { rate: aSecond(load.refused) }) : null}
      />
      <Fact label={t("Records stored")} value={aSecond(load.records)} />
      <Fact
        label={t("Commits to Postgres")}
        value={aSecond(load.commitsASecond)}
        more={t("{n} records each", { n: oneDigit(load.recordsACommit) })}
      />
      <SpreadFact label={t("A commit takes")} spread={load.commit} />
      <SpreadFact label={t("Deno KV responds in")} spread={load.kv} />
      <SpreadFact label={t("Postgres responds to pages in")} spread={load.postgresPages} />
      <SpreadFact label={t("Postgres responds to the intake in")} spread={load.postgresIntake} />
      <SpreadFact label={t("Timers are late by")} spread={load.lag} />
    </>
  );
}

function BacklogFacts(
  { foldAgeSec, packAgeSec, alertAgeSec, joinAgeSec, deliveryAgeSec, deliveries }: Backlog,
) {
  const facts = [
    [t("Counts are behind by"), foldAgeSec],
    [t("Packing of metrics is behind by"), packAgeSec],
    [t("Joining of payloads is overdue by"), joinAgeSec],
    [t("Alert rules are behind by"), alertAgeSec],
  ] as const;
  return (
    <>
      {facts.map(([label, seconds]) => (
        <Fact key={label} label={label} value={formatDuration(seconds * 1_000)} />
      ))}
      <Fact
        label={t("Notices on their way")}
        value={formatExact(deliveries)}
        more={deliveryAgeSec > 0
          ? t("overdue by {time}", { time: formatDuration(deliveryAgeSec * 1_000) })
          : null}
      />
    </>
  );
}

function SpreadFact({ label, spread }: { label: string; spread: Spread | null }) {
  return (
    <Fact
      label={label}
      value={spread === null ? "–" : formatDuration(spread.median * 1_000)}
      more={spread === null ? null : t("95 % within {time}", {
        time: formatDuration(spread.p95 * 1_000),
      })}
    />
  );
}

function Fact(
  { label, value, more = null }: { label: string; value: string; more?: string | null },
) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="tabular-nums">
        {value}
        {more !== null && <span class="block text-meta text-muted">{more}</span>}
      </dd>
    </div>
  );
}

function aSecond(rate: number): string {
  return t("{rate}/s", { rate: oneDigit(rate) });
}

function oneDigit(value: number): string {
  return withDecimalMark(value >= 100 ? String(Math.round(value)) : value.toFixed(1));
}
