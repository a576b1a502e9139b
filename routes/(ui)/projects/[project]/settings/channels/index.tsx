import { page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { type Channel, listChannels } from "@/lib/alerts/channels/channels.ts";
import { lastDeliveries, type LastDelivery } from "@/lib/alerts/deliveries/deliveries.ts";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { ChannelList } from "@/lib/alerts/channels/channel_tables.tsx";
import { channelsPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface ChannelsData {
  readonly shell: Shell;
  readonly project: Project;
  readonly channels: readonly Channel[];
  readonly lastDeliveries: ReadonlyMap<string, LastDelivery>;
  readonly mayWrite: boolean;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, channels, mayWrite } = data;
  const add = mayWrite && (
    <LinkButton href={`${channelsPath(project.id)}/new`} kind="primary" icon="plus">
      New channel
    </LinkButton>
  );
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="channels">
      {!mayWrite && <ReadOnlyNote what="the channels" />}
      <Panel
        title="Channels"
        id="channels"
        description="Where alerts send their notices: mail, chats, PagerDuty, or a program of yours."
        actions={channels.length > 0 && add}
        flush
      >
        {channels.length === 0
          ? (
            <EmptyState icon="alerts" title="No channels" actions={add}>
              Alerts show on their page all the same; a channel tells people who are not looking.
            </EmptyState>
          )
          : <ChannelList channels={channels} lastDeliveries={data.lastDeliveries} />}
      </Panel>
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<ChannelsData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    meta.title = `Notifications · ${project.name}`;
    const [shell, channels, last] = await Promise.all([
      loadShell(ctx, project),
      listChannels(sql, project.id),
      lastDeliveries(sql, project.id),
    ]);
    const mayWrite = roleAllows(role, "project:write");
    return page({ shell, project, channels, lastDeliveries: last, mayWrite });
  },
});
