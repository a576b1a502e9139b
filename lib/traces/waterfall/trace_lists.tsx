import { HOUR_MS } from "../../core/time.ts";
import type { LinkedProfile } from "../../profiles/mod.ts";
/** What happened in a trace beside spans, with links to each. */
import type { LogLevel } from "../../records/mod.ts";
import type { Project } from "../../accounts/projects.ts";
import type { InProject, Trace, TraceError, TraceLog } from "../trace_types.ts";
import { Badge, LevelBadge, type Tone } from "../../ui/components/badge.tsx";
import { ExactTime } from "../../ui/components/values.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { visible } from "../../ui/json.ts";
import { formatDuration, formatExact, NONE } from "../../ui/format.ts";
import { linkedPart, partHref } from "../span_profile.tsx";
import { KIND_NAMES } from "../../profiles/words.ts";
import { eventPath, issuesPath, sectionPath } from "../../ui/links.ts";

const MAX_ERRORS = 50;
const MAX_LOGS = 50;
const MAX_PROFILES = 20;
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
  const nameOf = (part: { readonly projectId: string }) =>
    names.size > 1 ? names.get(part.projectId) ?? "" : "";
  const search = `?${new URLSearchParams({ query: `trace:${traceId}`, ...timeAround(start) })}`;
  return (
    <>
      <ErrorList {...{ errors, projectId, search, hrefOf, nameOf, start }} />
      <LogList
        {...{ logs, hrefOf, nameOf, start }}
        href={sectionPath(projectId, "logs") + search}
      />
      <ProfileList
        {...{ profiles, hrefOf, nameOf, start }}
        linkOf={(profile) => partHref(profile, linkedPart(profile, traceId))}
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

type HrefOf = TraceListsProps["hrefOf"];
/** Of a part's project; `""` where all are of one. */
type NameOf = (part: { readonly projectId: string }) => string;

function ErrorList({ errors, projectId, search, hrefOf, nameOf, start }: {
  readonly errors: readonly InProject<TraceError>[];
  readonly projectId: string;
  readonly search: string;
  readonly hrefOf: HrefOf;
  readonly nameOf: NameOf;
  readonly start: number;
}) {
  if (errors.length === 0) return null;
  return (
    <Panel
      title={titled("Errors", errors.length)}
      id="errors"
      class="mt-4"
      flush
      actions={
        <a class="link text-sm" href={`${issuesPath(projectId)}${search}`}>Issues of this trace</a>
      }
    >
      <ul class="divide-y divide-line text-sm">
        {errors.slice(0, MAX_ERRORS).map((error) => (
          <li
            key={error.eventId}
            class="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-1.5"
          >
            <LevelBadge level={error.level} />
            <a
              class="min-w-0 flex-1 basis-60 truncate font-medium hover:underline"
              href={eventPath(error.projectId, error.issueId, error.eventId)}
              title={visible(error.title)}
            >
              {visible(error.title)}
            </a>
            {error.culprit !== "" && (
              <bdi class="max-w-80 truncate text-muted">{visible(error.culprit)}</bdi>
            )}
            <ProjectName name={nameOf(error)} />
            <SpanLink spanId={error.spanId} hrefOf={hrefOf} />
            <Moment time={error.time} start={start} />
          </li>
        ))}
        <More count={errors.length - MAX_ERRORS} what="errors" />
      </ul>
    </Panel>
  );
}

const TONES: Readonly<Record<LogLevel, Tone>> = {
  trace: "neutral",
  debug: "neutral",
  info: "info",
  warn: "warning",
  error: "danger",
  fatal: "danger",
};

function LogList({ logs, href, hrefOf, nameOf, start }: {
  readonly logs: readonly InProject<TraceLog>[];
  readonly href: string;
  readonly hrefOf: HrefOf;
  readonly nameOf: NameOf;
  readonly start: number;
}) {
  if (logs.length === 0) return null;
  return (
    <Panel
      title={titled("Logs", logs.length)}
      id="logs"
      class="mt-4"
      flush
      actions={<a class="link text-sm" href={href}>All logs of this trace</a>}
    >
      <ul class="divide-y divide-line text-sm">
        {logs.slice(0, MAX_LOGS).map((log) => (
          <li key={log.logId} class="flex flex-wrap items-baseline gap-x-3 px-4 py-1">
            <span class="w-14">
              <Badge tone={TONES[log.level]}>{log.level}</Badge>
            </span>
            <span
              class="min-w-0 flex-1 basis-60 truncate font-mono"
              dir="auto"
              title={visible(log.body.slice(0, MAX_BODY))}
            >
              {visible(log.body.slice(0, MAX_BODY))}
            </span>
            <ProjectName name={nameOf(log)} />
            <SpanLink spanId={log.spanId} hrefOf={hrefOf} />
            <Moment time={log.time} start={start} />
          </li>
        ))}
        <More count={logs.length - MAX_LOGS} what="logs" />
      </ul>
    </Panel>
  );
}

function ProfileList({ profiles, hrefOf, nameOf, linkOf, start }: {
  readonly profiles: readonly InProject<LinkedProfile>[];
  readonly hrefOf: HrefOf;
  readonly nameOf: NameOf;
  readonly linkOf: (profile: InProject<LinkedProfile>) => string;
  readonly start: number;
}) {
  if (profiles.length === 0) return null;
  return (
    <Panel title={titled("Profiles", profiles.length)} id="profiles" class="mt-4" flush>
      <ul class="divide-y divide-line text-sm">
        {profiles.slice(0, MAX_PROFILES).map((profile) => (
          <li
            key={`${profile.profileId} ${profile.spanId}`}
            class="flex flex-wrap items-baseline gap-x-3 px-4 py-1.5"
          >
            <span class="min-w-0 flex-1 basis-60 truncate">
              <a class="link" href={linkOf(profile)}>{`${KIND_NAMES[profile.kind]} profile`}</a>
              {profile.service !== "" && (
                <bdi class="text-muted">{` ${visible(profile.service)}`}</bdi>
              )}
            </span>
            <span class="tabular-nums">
              {profile.durationMs > 0 ? formatDuration(profile.durationMs) : NONE}
            </span>
            <ProjectName name={nameOf(profile)} />
            <SpanLink spanId={profile.spanId} hrefOf={hrefOf} />
            <Moment time={profile.time} start={start} />
          </li>
        ))}
        <More count={profiles.length - MAX_PROFILES} what="profiles" />
      </ul>
    </Panel>
  );
}

/** When something happened, as time since the trace began: to the second, all of a trace is at once. */
function Moment({ time, start }: { readonly time: number; readonly start: number }) {
  return (
    <span class="flex items-baseline gap-x-3 text-meta text-muted">
      {start > 0 && (
        <span class="tabular-nums" title="Since the trace began">
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
  readonly hrefOf: HrefOf;
}) {
  if (spanId === null) return null;
  return (
    <a class="link font-mono text-meta" href={hrefOf(spanId)} title="Show the span">
      {spanId.slice(0, 8)}
    </a>
  );
}

function More({ count, what }: { readonly count: number; readonly what: string }) {
  if (count <= 0) return null;
  return <li class="px-4 py-1.5 text-muted">{`${formatExact(count)} more ${what}`}</li>;
}

function titled(name: string, count: number): string {
  return `${name} (${formatExact(count)})`;
}
