import type { Project } from "../../accounts/projects.ts";
import { natureOf } from "../../formats/pprof/sample_types.ts";
import type { NamedTraces } from "../queries/named_traces.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { Page } from "../../ui/components/page.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { visible } from "../../ui/read.ts";
import { scopedHref } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { sectionPath } from "../../ui/links.ts";
import { Graphs } from "../graphs.tsx";
import { profileHref, profilingHref, queryHref } from "../../ui/links_profiles.ts";
import { ShapeForm } from "../shape_form.tsx";
import { Choices } from "./choices.tsx";
import { profileExports, titleOf } from "../export_profile.ts";
import { type LoadedProfile, partParams } from "./load_profile.ts";
import { PartNotes } from "./part_notes.tsx";
import { ProfileFacts } from "./profile_facts.tsx";
import { showsOneThread } from "./read_part.ts";
import { threadTitle } from "./threads.ts";

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
        { label: "Profiling", href: profilingHref(project.id, "", scope) },
        { label: `Profile ${row.profileId.slice(0, 8)}` },
      ]}
      scopeSearch={scopeSearch}
    >
      <PageHeader title={<bdi>{visible(titleOf(loaded))}</bdi>} />
      <ProfileFacts row={row} named={named} projectId={project.id} scope={scope} />
      <PartNotes loaded={loaded} path={path} />
      {graph === null
        ? <Gone />
        : (
          <Panel title="Flame graph" id="graph" description={descriptionOf(loaded)}>
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
    ? [{ id: "", name: "all samples" }]
    : read.threads.map((thread) => ({ id: thread.id, name: threadTitle(thread) }));
  const href = queryHref(`${path}/chart`, partParams(loaded));
  return { threads, href: `${href}${href.includes("?") ? "&" : "?"}lane={thread}` };
}

const NATURE_WORDS = {
  interval: "",
  cumulative: " Its values count since the process began.",
  snapshot: " It tells how things stood at one moment.",
};

function descriptionOf({ row, read, graph }: LoadedProfile): string {
  const thread = read.threads.find(({ id }) => id === read.part.threadId);
  const ofThread = showsOneThread(read) && thread ? ` Of ${threadTitle(thread)} only.` : "";
  const nature = graph === null ? "interval" : natureOf(row.kind, graph.type.type, row.isDelta);
  return `One profile${read.pieces.length > 1 ? ` of ${read.pieces.length} chunks` : ""}.` +
    ofThread + NATURE_WORDS[nature];
}

function Gone() {
  return (
    <Alert kind="warning" title="The samples of this profile cannot be read">
      What is above comes from the index. The profile itself has expired, was removed from the
      object store, or is damaged there.
    </Alert>
  );
}
