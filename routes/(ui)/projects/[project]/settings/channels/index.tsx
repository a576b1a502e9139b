import { page } from "fresh";
import { type Project, settingsOf, updateSettings } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { type Channel, listChannels } from "@/lib/alerts/channels/channels.ts";
import { lastDeliveries, type LastDelivery } from "@/lib/alerts/deliveries/deliveries.ts";
import { ChannelList } from "@/lib/alerts/channels/channel_tables.tsx";
import { channelsPath } from "@/lib/ui/links.ts";
import { SettingsListPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { isLanguage, LANGUAGES, t } from "@/lib/core/language/translate.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { Select } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm, unknownForm } from "@/lib/ui/form.ts";

interface ChannelsData {
  readonly shell: Shell;
  readonly project: Project;
  readonly channels: readonly Channel[];
  readonly lastDeliveries: ReadonlyMap<string, LastDelivery>;
  readonly mayWrite: boolean;
}

export default define.page<typeof handler>(({ data }) => {
  const { channels, lastDeliveries, ...page } = data;
  return (
    <SettingsListPage
      {...page}
      tab="channels"
      title={t("Channels")}
      description={t(
        "Where alerts send their notifications: email, chats, PagerDuty, or a program of yours.",
      )}
      add={{ href: `${channelsPath(page.project.id)}/new`, label: t("New channel") }}
      empty={channels.length > 0 ? null : {
        icon: "alerts",
        title: t("No channels"),
        text: t(
          "Alerts show on their page all the same; a channel tells people who are not looking.",
        ),
      }}
      below={page.mayWrite && <LanguageForm project={page.project} />}
    >
      <ChannelList channels={channels} lastDeliveries={lastDeliveries} />
    </SettingsListPage>
  );
});

/** In which language channels are told; mails to a person are in theirs. */
function LanguageForm({ project }: { readonly project: Project }) {
  return (
    <Panel
      title={t("Language of messages")}
      description={t(
        "Of what goes to channels. Emails to a person are in the language of their account.",
      )}
      class="mt-6"
    >
      <form method="post" class="flex max-w-md items-end gap-3">
        <Select
          name="language"
          label={t("Language")}
          value={settingsOf(project).language}
          options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
        />
        <Button>{t("Save")}</Button>
      </form>
    </Panel>
  );
}

export const handler = define.handlers<ChannelsData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    meta.title = `${t("Notifications")} · ${project.name}`;
    const [shell, channels, last] = await Promise.all([
      loadShell(ctx, project),
      listChannels(sql, project.id),
      lastDeliveries(sql, project.id),
    ]);
    const mayWrite = roleAllows(role, "project:write");
    return page({ shell, project, channels, lastDeliveries: last, mayWrite });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const language = fieldOf(await readForm(ctx.req), "language");
    if (!isLanguage(language)) throw unknownForm();
    await updateSettings(ctx.state.services.kv, project.id, { language });
    return redirectWithFlash(channelsPath(project.id), t("Saved."));
  },
});
