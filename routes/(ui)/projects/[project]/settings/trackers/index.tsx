import { page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { ConnectionList } from "@/lib/errors/links/connection_form.tsx";
import { type Connection, listConnections } from "@/lib/errors/links/connections.ts";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { trackersPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface TrackersData {
  readonly shell: Shell;
  readonly project: Project;
  readonly connections: readonly Connection[];
  readonly mayWrite: boolean;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, connections, mayWrite } = data;
  const add = mayWrite && (
    <LinkButton href={`${trackersPath(project.id)}/new`} kind="primary" icon="plus">
      New tracker
    </LinkButton>
  );
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="trackers">
      {!mayWrite && <ReadOnlyNote what="the trackers" />}
      <Panel
        title="Issue trackers"
        id="trackers"
        description="Where issues of this project are worked on: GitHub, GitLab, Gitea, Jira, YouTrack, or any other by the addresses of its pages."
        actions={connections.length > 0 && add}
        flush
      >
        {connections.length === 0
          ? (
            <EmptyState icon="issues" title="No trackers" actions={add}>
              An issue can be linked to any address all the same; a tracker makes issues from here,
              and shows what became of them.
            </EmptyState>
          )
          : <ConnectionList connections={connections} />}
      </Panel>
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<TrackersData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `Issue trackers · ${project.name}`;
    const [shell, connections] = await Promise.all([
      loadShell(ctx, project),
      listConnections(ctx.state.services.sql, project.id),
    ]);
    return page({ shell, project, connections, mayWrite: roleAllows(role, "project:write") });
  },
});
