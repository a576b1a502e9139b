import { page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { ConnectionList } from "@/lib/errors/links/connection_form.tsx";
import { type Connection, listConnections } from "@/lib/errors/links/connections.ts";
import { trackersPath } from "@/lib/ui/links.ts";
import { SettingsListPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface TrackersData {
  readonly shell: Shell;
  readonly project: Project;
  readonly connections: readonly Connection[];
  readonly mayWrite: boolean;
}

export default define.page<typeof handler>(({ data }) => {
  const { connections, ...page } = data;
  return (
    <SettingsListPage
      {...page}
      tab="trackers"
      title={t("Issue trackers")}
      description={t(
        "Where issues of this project are worked on: GitHub, GitLab, Gitea, Jira, YouTrack, or any other by the addresses of its pages.",
      )}
      add={{ href: `${trackersPath(page.project.id)}/new`, label: t("New tracker") }}
      empty={connections.length > 0 ? null : {
        icon: "issues",
        title: t("No trackers"),
        text: t(
          "An issue can be linked to any address all the same; a tracker makes issues from here, and shows what became of them.",
        ),
      }}
    >
      <ConnectionList connections={connections} />
    </SettingsListPage>
  );
});

export const handler = define.handlers<TrackersData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `${t("Issue trackers")} · ${project.name}`;
    const [shell, connections] = await Promise.all([
      loadShell(ctx, project),
      listConnections(ctx.state.services.sql, project.id),
    ]);
    return page({ shell, project, connections, mayWrite: roleAllows(role, "project:write") });
  },
});
