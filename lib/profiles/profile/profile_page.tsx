import { currentLanguage, message, t } from "../../core/language/translate.ts";
import type { Project } from "../../accounts/projects.ts";
import { natureOf } from "../../formats/pprof/sample_types.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { formatCount, formatDuration, formatExact } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { profileHref, profilingHref, queryHref, sectionPath } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { Graphs } from "../graphs.tsx";
import { shapeParams } from "../params.ts";
import { ALL_THREADS, isPartial, stretchOf, WHOLE } from "../profile_part.ts";
import type { NamedTraces } from "../queries/stored_profiles.ts";
import { profileExports, titleOf } from "../responses.ts";
import { ShapeForm } from "../shape_form.tsx";
import { findType } from "../trees/stacks.ts";
import { shorterThanInterval, typeNames } from "../words.ts";
import { type LoadedProfile, partParams } from "./load_profile.ts";
import { ProfileFacts } from "./profile_facts.tsx";
import { showsOneThread, threadTitle } from "./read_part.ts";

export interface ProfilePageView {
  readonly shell: Shell;
  readonly project: Project;
  readonly loaded: LoadedProfile;
  /** Traces that its samples name. */
  readonly named: NamedTraces | null;
  /** As it was asked for. */
  readonly url: URL;
}

/** One profile: what it is of, its flame graph, its functions. */
export function ProfilePage({ shell, project, loaded, named, url }: ProfilePageView) {
  const { row, scope, params, errors, graph } = loaded;
  const path = profileHref(project.id, row.profileId);
  const scopeSearch = scopedHref("", scope);
  return (
    <Page
      shell={shell}
      section="profiling"
      crumbs={[
        { label: project.name, href: `${sectionPath(project.id, "performance")}${scopeSearch}` },
        { label: t("Profiling"), href: profilingHref(project.id, "", scope) },
        { label: t("Profile {id}", { id: row.profileId.slice(0, 8) }) },
      ]}
      scopeSearch={scopeSearch}
    >
      <PageHeader title={<bdi>{visible(titleOf(loaded))}</bdi>} />
      <ProfileFacts row={row} named={named} projectId={project.id} scope={scope} />
      <PartNotes loaded={loaded} path={path} />
      {graph === null
        ? <Gone />
        : (
          <Panel title={t("Flame graph")} id="graph" description={descriptionOf(loaded)}>
            <div class="space-y-3">
              <ShapeForm
                path={path}
                hidden={partParams(loaded)}
                shape={params.shape}
                query={url.searchParams}
                errors={errors}
              />
              <Choices loaded={loaded} path={path} />
              <Graphs
                project={project}
                id="flame"
                title={titleOf(loaded)}
                reading={{ kind: "ready", value: graph.treeOf }}
                shape={params.shape}
                page={url}
                dataPath={`${path}/flamegraph`}
                dataParams={partParams(loaded)}
                pageParams={partParams(loaded)}
                exports={profileExports(loaded, `${path}/export`)}
                platform={row.platform}
                timeOrder={timeOrderOf(loaded, path)}
              />
            </div>
          </Panel>
        )}
    </Page>
  );
}

/** Threads that can be looked at as they went; null when samples do not tell their time. */
function timeOrderOf(loaded: LoadedProfile, path: string) {
  const { read, params } = loaded;
  if (!read.isTimed || params.shape.function !== "") return null;
  const threads = read.threads.length === 0
    ? [{ id: "", name: t("all samples") }]
    : read.threads.map((thread) => ({ id: thread.id, name: threadTitle(thread) }));
  const href = queryHref(`${path}/chart`, partParams(loaded));
  return { threads, href: `${href}${href.includes("?") ? "&" : "?"}lane={thread}` };
}

const NATURE_WORDS = {
  interval: null,
  cumulative: message("Its values count since the process began."),
  snapshot: message("It tells how things stood at one moment."),
} as const;

function descriptionOf({ row, read, graph }: LoadedProfile): string {
  const thread = read.threads.find(({ id }) => id === read.part.threadId);
  const nature = graph === null ? "interval" : natureOf(row.kind, graph.type.type, row.isDelta);
  const words = NATURE_WORDS[nature];
  return [
    read.pieces.length > 1
      ? t("One profile of {n} chunk.|One profile of {n} chunks.", { n: read.pieces.length })
      : t("One profile."),
    ...showsOneThread(read) && thread
      ? [t("Of {thread} only.", { thread: threadTitle(thread) })]
      : [],
    ...words === null ? [] : [t(words)],
  ].join(" ");
}

function Gone() {
  return (
    <Alert kind="warning" title={t("The samples of this profile cannot be read")}>
      {t(
        "What is above comes from the index. The profile itself has expired, was removed from the object store, or is damaged there.",
      )}
    </Alert>
  );
}

interface ChoicesProps {
  readonly loaded: LoadedProfile;
  /** Of the page. */
  readonly path: string;
}

/** More are left to the address: a process may have a thousand threads. */
const MAX_THREADS = 24;

/** Which values of a profile are shown, and of which thread. */
function Choices({ loaded, path }: ChoicesProps) {
  const { row, params, read, graph } = loaded;
  const shape = shapeParams(params.shape);
  const names = typeNames(read.types);
  return (
    <>
      {graph !== null && read.types.length > 1 && (
        <ChoiceLinks
          label={t("Values")}
          choices={names}
          chosen={names[findType(read.types, graph.type)] ?? ""}
          hrefOf={(name) => {
            const type = read.types[names.indexOf(name)] ?? graph.type;
            const value = { kind: row.kind, type };
            return queryHref(path, [...partParams(loaded, {}, value), ...shape]);
          }}
        />
      )}
      <ThreadChoice loaded={loaded} path={path} />
    </>
  );
}

function ThreadChoice({ loaded, path }: ChoicesProps) {
  const { params, read: { part, threads } } = loaded;
  if (threads.length < 2) return null;
  const chosen = part.threadId ?? ALL_THREADS;
  const shown = threads.filter(({ id }, place) => place < MAX_THREADS || id === chosen);
  const titles = new Map([
    [ALL_THREADS, t("All threads")],
    ...shown.map((thread) => [thread.id, titleAmong(thread, shown)] as const),
  ]);
  const idOf = (title: string) => [...titles].find(([, each]) => each === title)?.[0] ?? null;
  return (
    <>
      <ChoiceLinks
        label={t("Threads")}
        choices={[...titles.values()]}
        chosen={titles.get(chosen) ?? ""}
        hrefOf={(title) =>
          queryHref(path, [
            ...partParams(loaded, { threadId: idOf(title) }),
            ...shapeParams(params.shape),
          ])}
      />
      {threads.length > shown.length && (
        <p class="mt-1 text-meta text-muted">
          {t("{n} more thread, with fewer samples|{n} more threads, with fewer samples", {
            n: threads.length - shown.length,
          })}
        </p>
      )}
    </>
  );
}

/** Threads of a pool share their name: with the id they can be told apart. */
function titleAmong(
  thread: { readonly id: string; readonly name: string; readonly isActive: boolean },
  threads: readonly { readonly id: string; readonly name: string }[],
): string {
  const isAlone = threads.filter(({ name }) => name === thread.name).length === 1;
  const title = thread.name === "" || isAlone ? threadTitle(thread) : `${thread.name} ${thread.id}`;
  return thread.isActive ? t("{thread} (active)", { thread: title }) : title;
}

interface PartNotesProps {
  readonly loaded: LoadedProfile;
  /** Of the page. */
  readonly path: string;
}

/** What of the profile the page shows, why there may be little in it, and what is wrong with the address. */
function PartNotes({ loaded, path }: PartNotesProps) {
  const { read, errors, params } = loaded;
  const wrong = Object.entries(errors).filter(([name]) => !SHOWN_BESIDE.has(name));
  return (
    <>
      {wrong.length > 0 && (
        <Alert kind="warning" title={t("Parts of the address were left out")} class="mb-3">
          <ul>
            {wrong.map(([name, sentence]) => <li key={name}>{`${name}: ${sentence}`}</li>)}
          </ul>
        </Alert>
      )}
      {isPartial(read.part) && (
        <div class="mb-3 rounded-lg border border-line bg-surface px-4 py-2.5 text-sm">
          <p>
            {partWords(loaded)}{" "}
            <a
              class="link"
              href={queryHref(path, [...partParams(loaded, WHOLE), ...shapeParams(params.shape)])}
            >
              {t("Show the whole profile")}
            </a>
          </p>
          {shortWords(loaded) !== null && <p class="text-muted">{shortWords(loaded)}</p>}
        </div>
      )}
      {read.missing > 0 && read.pieces.length > 0 && (
        <Alert kind="warning" class="mb-3">
          {t(
            "{n} chunk of this time could not be read, or were too many for one graph.|{n} chunks of this time could not be read, or were too many for one graph.",
            { n: read.missing },
          )}
        </Alert>
      )}
    </>
  );
}

/** The form of the shape says these itself. */
const SHOWN_BESIDE = new Set(["focus", "ignore", "by"]);

/** `12 of 3,000 samples: those of 120 ms of its profiler's chunks.` */
function partWords({ read, row }: LoadedProfile): string {
  const { part, samples, pieces } = read;
  const stretch = stretchOf(part);
  const what = [
    part.spanId !== null
      ? t("span {id}", { id: part.spanId })
      : part.traceId !== null
      ? t("trace {id}", { id: part.traceId.slice(0, 8) })
      : null,
    stretch === null ? null : t("a stretch of {duration}", {
      duration: formatDuration(stretch.until - stretch.from),
    }),
    part.labels.length === 0 ? null : part.labels.map((pair) => pair.join("=")).join(", "),
  ].filter((word) => word !== null);
  const whole = pieces.length > 1
    ? t("{n} chunk|{n} chunks", { n: pieces.length })
    : formatExact(row.samples);
  const values = { n: samples, count: formatCount(samples), whole };
  return what.length === 0
    ? t("{count} sample, out of {whole}.|{count} samples, out of {whole}.", values)
    : t("{count} sample of {part}, out of {whole}.|{count} samples of {part}, out of {whole}.", {
      ...values,
      part: new Intl.ListFormat(currentLanguage(), { type: "conjunction" }).format(what),
    });
}

/** Says why there are hardly any samples, where time between them is longer than what is looked at. */
function shortWords({ read }: LoadedProfile): string | null {
  const stretch = stretchOf(read.part);
  if (stretch === null || read.intervalMs === null) return null;
  const ms = stretch.until - stretch.from;
  return ms < read.intervalMs ? shorterThanInterval(ms, read.intervalMs) : null;
}
