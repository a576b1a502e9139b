/** What happened in a trace beside spans, with links to each. */
import { type Message, message, t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { HOUR_MS } from "../../core/time.ts";
import type { LinkedProfile } from "../../profiles/mod.ts";
import type { Project } from "../../accounts/projects.ts";
import type { InProject, Trace, TraceError, TraceLog } from "../trace_types.ts";
import { LevelBadge, LogLevelBadge } from "../../ui/components/badge.tsx";
import { ExactTime } from "../../ui/components/values.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { visible } from "../../ui/json.ts";
import { formatDuration, NONE } from "../../ui/format.ts";
import { linkedPart, partHref } from "../span_profile.tsx";
import { KIND_NAMES } from "../../profiles/words.ts";
import { eventPath, issuesPath, sectionPath } from "../../ui/links.ts";
import { issueWords } from "../../errors/mod.ts";

/** Characters of one line of log. */
const MAX_BODY = 300;

interface TraceListsProps {
  readonly trace: Trace;
  /** Those that have parts of it. */
  readonly projects: readonly Project[];
  /** When it began, in milliseconds since 1970; 0 when that is not known. */
  readonly start: number;
  /** Whose lists are led to. */
  readonly projectId: string;
  /** The page with the panel of a span open. */
  readonly hrefOf: (spanId: string) => string;
}

/** Errors, logs and profiles of a trace; each where there is one. */
export function TraceLists({ trace, projects, start, projectId, hrefOf }: TraceListsProps) {
  const { traceId, errors, logs, profiles } = trace;
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const common = {
    start,
    hrefOf,
    nameOf: (part: Part) => names.size > 1 ? names.get(part.projectId) ?? "" : "",
  };
  const search = `?${new URLSearchParams({ query: `trace:${traceId}`, ...timeAround(start) })}`;
  return (
    <>
      <PartList
        {...common}
        words={ERROR_WORDS}
        parts={errors}
        limit={50}
        all={{ href: issuesPath(projectId) + search, label: t("Issues of this trace") }}
        keyOf={({ eventId }) => eventId}
        look="gap-x-3 gap-y-1 px-4 py-1.5"
        show={(error) => <ErrorWords {...error} />}
      />
      <PartList
        {...common}
        words={LOG_WORDS}
        parts={logs}
        limit={50}
        all={{ href: sectionPath(projectId, "logs") + search, label: t("All logs of this trace") }}
        keyOf={({ logId }) => logId}
        look="gap-x-3 px-4 py-1"
        show={(log) => <LogWords {...log} />}
      />
      <PartList
        {...common}
        words={PROFILE_WORDS}
        parts={profiles}
        limit={20}
        keyOf={({ profileId, spanId }) => `${profileId} ${spanId}`}
        look="gap-x-3 px-4 py-1.5"
        show={(profile) => (
          <ProfileWords profile={profile} href={partHref(profile, linkedPart(profile, traceId))} />
        )}
      />
    </>
  );
}

/** Old traces lie before the time that lists show by themselves, and long ones end a day later at most. */
function timeAround(start: number): Record<string, string> {
  if (start === 0) return {};
  return {
    start: new Date(start - HOUR_MS).toISOString(),
    end: new Date(start + 25 * HOUR_MS).toISOString(),
  };
}

/** What all that a trace has beside spans tells. */
type Part = InProject<{ readonly spanId: string | null; readonly time: number }>;

interface ListWords {
  /** Of the panel. */
  readonly id: string;
  readonly title: Message;
  /** What is said of those that are only counted. */
  readonly more: Message;
}

const ERROR_WORDS: ListWords = {
  id: "errors",
  title: message("Errors ({n})"),
  more: message("{n} more error|{n} more errors"),
};
const LOG_WORDS: ListWords = {
  id: "logs",
  title: message("Logs ({n})"),
  more: message("{n} more log|{n} more logs"),
};
const PROFILE_WORDS: ListWords = {
  id: "profiles",
  title: message("Profiles ({n})"),
  more: message("{n} more profile|{n} more profiles"),
};

interface PartListProps<T extends Part> extends Pick<TraceListsProps, "start" | "hrefOf"> {
  readonly words: ListWords;
  readonly parts: readonly T[];
  /** More are only counted. */
  readonly limit: number;
  /** The list of all of them elsewhere. */
  readonly all?: { readonly href: string; readonly label: string };
  readonly keyOf: (part: T) => string;
  /** Classes of each line. */
  readonly look: string;
  readonly show: (part: T) => ComponentChildren;
  /** Of a part's project; `""` where all are of one. */
  readonly nameOf: (part: Part) => string;
}

/** Parts of a trace, each with its project, its span and its time. */
function PartList<T extends Part>(props: PartListProps<T>) {
  const { words, parts, limit, all, keyOf, look, show, nameOf, hrefOf, start } = props;
  if (parts.length === 0) return null;
  return (
    <Panel
      title={t(words.title, { n: parts.length })}
      id={words.id}
      class="mt-4"
      flush
      actions={all && <a class="link text-sm" href={all.href}>{all.label}</a>}
    >
      <ul class="divide-y divide-line text-sm">
        {parts.slice(0, limit).map((part) => (
          <li key={keyOf(part)} class={`flex flex-wrap items-baseline ${look}`}>
            {show(part)}
            <ProjectName name={nameOf(part)} />
            <SpanLink spanId={part.spanId} hrefOf={hrefOf} />
            <Moment time={part.time} start={start} />
          </li>
        ))}
        {parts.length > limit && (
          <li class="px-4 py-1.5 text-muted">
            {t(words.more, { n: parts.length - limit })}
          </li>
        )}
      </ul>
    </Panel>
  );
}

function ErrorWords({ eventId, issueId, projectId, level, ...error }: InProject<TraceError>) {
  const { title, culprit } = issueWords(error);
  return (
    <>
      <LevelBadge level={level} />
      <a
        class="min-w-0 flex-1 basis-60 truncate font-medium hover:underline"
        href={eventPath(projectId, issueId, eventId)}
        title={title}
      >
        {title}
      </a>
      {culprit !== "" && <bdi class="max-w-80 truncate text-muted">{culprit}</bdi>}
    </>
  );
}

function LogWords({ level, body }: TraceLog) {
  const text = visible(body.slice(0, MAX_BODY));
  return (
    <>
      <span class="w-14">
        <LogLevelBadge level={level} />
      </span>
      <span class="min-w-0 flex-1 basis-60 truncate font-mono" dir="auto" title={text}>{text}</span>
    </>
  );
}

function ProfileWords(
  { profile, href }: { readonly profile: LinkedProfile; readonly href: string },
) {
  return (
    <>
      <span class="min-w-0 flex-1 basis-60 truncate">
        <a class="link" href={href}>{t("{kind} profile", { kind: t(KIND_NAMES[profile.kind]) })}</a>
        {profile.service !== "" && <bdi class="text-muted">{` ${visible(profile.service)}`}</bdi>}
      </span>
      <span class="tabular-nums">
        {profile.durationMs > 0 ? formatDuration(profile.durationMs) : NONE}
      </span>
    </>
  );
}

/** When something happened, as time since the trace began: to the second, all of a trace is at once. */
function Moment({ time, start }: { readonly time: number; readonly start: number }) {
  return (
    <span class="flex items-baseline gap-x-3 text-meta text-muted">
      {start > 0 && (
        <span class="tabular-nums" title={t("Since the trace began")}>
          {time < start ? formatDuration(time - start) : `+${formatDuration(time - start)}`}
        </span>
      )}
      <ExactTime date={new Date(time)} />
    </span>
  );
}

function ProjectName({ name }: { readonly name: string }) {
  return name === "" ? null : <bdi class="max-w-48 truncate text-muted">{visible(name)}</bdi>;
}

function SpanLink({ spanId, hrefOf }: {
  readonly spanId: string | null;
  readonly hrefOf: TraceListsProps["hrefOf"];
}) {
  if (spanId === null) return null;
  return (
    <a class="link font-mono text-meta" href={hrefOf(spanId)} title={t("Show the span")}>
      {spanId.slice(0, 8)}
    </a>
  );
}
