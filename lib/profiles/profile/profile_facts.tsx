import { type Message, message, t } from "../../core/language/translate.ts";
import { profileHref, traceHref, transactionHref } from "../../ui/links.ts";
import { formatProfileValue } from "../../core/value_units.ts";
import type { ComponentChildren } from "preact";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import type { NamedTraces } from "../queries/stored_profiles.ts";
import type { ProfileRow } from "../queries/profile_query.ts";
import { classes } from "../../ui/components/icon.tsx";
import { Badge } from "../../ui/components/badge.tsx";
import { CopyButton } from "../../ui/components/button.tsx";
import { ExactTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { formatBytes, formatDuration, formatExact } from "../../ui/format.ts";
import type { Scope } from "../../ui/scope.ts";
import { KIND_NAMES, typeName, valueTexts } from "../words.ts";
import { profilePartParams } from "../profile_part.ts";

export interface ProfileFactsProps {
  readonly row: ProfileRow;
  /** Traces that its samples name. */
  readonly named: NamedTraces | null;
  readonly projectId: string;
  readonly scope: Scope;
}

const SOURCES: Readonly<Record<ProfileRow["source"], Message>> = {
  pprof: "pprof",
  sentry_sample_v1: "Sentry SDK",
  sentry_sample_v2: message("Sentry SDK, continuous"),
  otlp: "OpenTelemetry",
};
const MAX_LABELS = 30;
const MAX_VALUES = 5;
/** Labels that were made of what SDKs send, and that the page tells otherwise. */
const MADE = new Set(["in_app", "active_thread", "thread_id", "thread_name", "thread_state"]);

/** What the index tells of a profile: where it comes from, what is in it, what it belongs to. */
export function ProfileFacts({ row, named, projectId, scope }: ProfileFactsProps) {
  return (
    <dl class="mb-4 grid grid-cols-2 gap-x-6 gap-y-3 text-sm md:grid-cols-4 xl:grid-cols-6">
      <Fact name={t("Service")}>{textOf(row.service)}</Fact>
      <Fact name={t("Kind")}>
        {t(KIND_NAMES[row.kind])} <Badge>{t(SOURCES[row.source])}</Badge>
      </Fact>
      <Fact name={t("Began")}>
        <ExactTime date={row.timestamp} />
      </Fact>
      <Fact name={t("Duration")}>
        {row.durationMs > 0 ? formatDuration(row.durationMs) : t("a moment")}
      </Fact>
      <Fact name={t("Samples")}>
        {formatExact(row.samples)} <Period row={row} />
      </Fact>
      <Fact name={t("Values")}>
        <Totals row={row} />
      </Fact>
      <Fact name={t("Environment")}>{textOf(row.environment)}</Fact>
      <Fact name={t("Release")}>{textOf(row.release)}</Fact>
      <Fact name={t("Instance")}>{textOf(row.instance)}</Fact>
      <Fact name={t("Platform")}>{textOf(row.platform)}</Fact>
      <Fact name={t("Size")}>{t("{size}, compressed", { size: formatBytes(row.sizeBytes) })}</Fact>
      <Fact name={t("Transaction")}>
        {row.transaction !== "" && (
          <a class="link wrap-anywhere" href={transactionHref(projectId, scope, row.transaction)}>
            {visible(row.transaction)}
          </a>
        )}
      </Fact>
      <Fact name={t("Trace")} isWide>
        {row.traceId !== null && (
          <a
            class="link font-mono wrap-anywhere"
            href={traceHref(projectId, row.traceId, row.spanId)}
          >
            {row.traceId}
          </a>
        )}
      </Fact>
      <NamedFact row={row} named={named} projectId={projectId} />
      <Fact name={t("Profiler")} isWide>
        {row.profilerId && <Id id={row.profilerId} target="profiler-id" what={t("profiler id")} />}
      </Fact>
      <Fact name={t("Profile id")} isWide>
        <Id id={row.profileId} target="profile-id" what={t("profile id")} />
      </Fact>
      <Labels labels={row.labels} />
    </dl>
  );
}

/** Traces beside its own, each with the way to its samples. */
function NamedFact({ row, named, projectId }: Omit<ProfileFactsProps, "scope">) {
  const others = named?.traces.filter(({ traceId }) => traceId !== row.traceId) ?? [];
  if (named === null || others.length === 0) return null;
  const left = named.count - named.traces.length;
  return (
    <Fact
      name={t("{n} trace named by samples|{n} traces named by samples", { n: named.count })}
      isWide
    >
      <ul>
        {others.map(({ traceId, spanId }) => (
          <li key={traceId} class="flex flex-wrap gap-x-2">
            <a class="link font-mono wrap-anywhere" href={traceHref(projectId, traceId, spanId)}>
              {traceId}
            </a>
            <a
              class="link"
              href={profileHref(projectId, row.profileId, profilePartParams({ traceId }))}
            >
              {t("its samples")}
            </a>
          </li>
        ))}
      </ul>
      {left > 0 && <span class="text-muted">{t("and {n} more", { n: left })}</span>}
    </Fact>
  );
}

function Fact({ name, isWide = false, children }: {
  readonly name: string;
  /** Has an id, which needs the room of two. @default false */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  if (!children) return null;
  return (
    <div class={classes("min-w-0", isWide && "col-span-2")}>
      <dt class="text-meta text-muted">{name}</dt>
      <dd class="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
    </div>
  );
}

function Id(
  { id, target, what }: {
    readonly id: string;
    /** Of the element. */
    readonly target: string;
    readonly what: string;
  },
) {
  return (
    <span class="flex flex-wrap items-center gap-x-2">
      <code id={target}>{id}</code>
      <CopyButton target={target} what={what} isCompact />
    </span>
  );
}

function Period({ row }: { readonly row: ProfileRow }) {
  const type = readTypeId(row.periodType);
  if (type === null || row.period <= 0n) return null;
  return (
    <span class="ml-1 text-meta text-muted">
      {t("one every {interval}", { interval: formatProfileValue(row.period, type.unit) })}
    </span>
  );
}

function Totals({ row }: { readonly row: ProfileRow }) {
  return (
    <ul>
      {row.totals.map((value, place) => {
        const { text, exact } = valueTexts(value.total, value.unit);
        return (
          <li key={place} title={exact}>
            {text} <span class="text-meta text-muted">{typeName(value)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Labels({ labels }: { readonly labels: ProfileRow["labels"] }) {
  const entries = Object.entries(labels).filter(([key]) => !MADE.has(key));
  if (entries.length === 0) return null;
  return (
    <div class="col-span-full min-w-0">
      <dt class="text-meta text-muted">{t("Labels")}</dt>
      <dd class="flex flex-wrap gap-1.5">
        {entries.slice(0, MAX_LABELS).map(([key, values]) => (
          <code key={key} class="rounded-sm bg-sunken px-1.5 text-meta wrap-anywhere">
            {`${visible(key)}=${visible(values.slice(0, MAX_VALUES).join(", "))}`}
            {values.length > MAX_VALUES &&
              ` ${t("and {n} more", { n: values.length - MAX_VALUES })}`}
          </code>
        ))}
        {entries.length > MAX_LABELS && (
          <span class="text-muted">{t("{n} more", { n: entries.length - MAX_LABELS })}</span>
        )}
      </dd>
    </div>
  );
}

function textOf(text: string): ComponentChildren {
  return text === "" ? null : <bdi>{visible(text)}</bdi>;
}
