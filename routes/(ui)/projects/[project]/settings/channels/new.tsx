import { HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { CHANNEL_KINDS, type ChannelType } from "@/lib/alerts/channels/channel_types.ts";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { ChannelForm, NewSigningSecret, TypeChoice } from "@/lib/alerts/channels/channel_form.tsx";
import { channelPath, channelsPath } from "@/lib/ui/links.ts";
import {
  enteredValues,
  readChannelForm,
  readChannelType,
} from "@/lib/alerts/channels/act_on_channel.ts";
import { ProjectSettingsPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { addChannel, type SavedChannel } from "@/lib/alerts/channels/settings.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { rich, t } from "@/lib/core/language/translate.ts";

interface NewChannelData {
  readonly shell: Shell;
  readonly project: Project;
  /** Null: to be chosen. */
  readonly type: ChannelType | null;
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  readonly sendsMail: boolean;
  /** A webhook that was just made, with the secret to show this once. */
  readonly created: SavedChannel | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, type, created } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="channels">
      {created === null
        ? (
          <Panel
            title={type === null
              ? t("New channel")
              : t("New channel: {type}", { type: t(CHANNEL_KINDS[type].label) })}
            actions={
              <a
                class="link"
                href={type === null ? channelsPath(project.id) : `${channelsPath(project.id)}/new`}
              >
                {type === null ? t("All channels") : t("Another type")}
              </a>
            }
          >
            {type === null
              ? <TypeChoice projectId={project.id} />
              : <NewChannelForm {...data} type={type} />}
          </Panel>
        )
        : <Created created={created} />}
    </ProjectSettingsPage>
  );
});

function NewChannelForm(
  { type, values, errors, sendsMail }: NewChannelData & { readonly type: ChannelType },
) {
  return (
    <div class="space-y-4">
      {type === "email" && !sendsMail && (
        <Alert kind="warning" title={t("This instance sends no mail yet")}>
          {rich(
            "Its operator has to set {host} and {from} first.",
            { host: <code>SMTP_HOST</code>, from: <code>SMTP_FROM</code> },
          )}
        </Alert>
      )}
      <ChannelForm type={type} values={values} errors={errors} isExisting={false} />
    </div>
  );
}

function Created({ created: { channel, signingSecret } }: { readonly created: SavedChannel }) {
  return (
    <Panel title={t("{name} is created", { name: channel.name })}>
      {signingSecret !== null && <NewSigningSecret secret={signingSecret} />}
      <LinkButton class="mt-4" href={channelPath(channel.projectId, channel.channelId)}>
        {t("Go on to the channel")}
      </LinkButton>
    </Panel>
  );
}

export const handler = define.handlers<NewChannelData>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    ctx.state.meta.title = `${t("New channel")} · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      type: readChannelType(ctx.url.searchParams.get("type")),
      values: {},
      errors: {},
      sendsMail: ctx.state.services.config.smtp !== null,
      created: null,
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const { services, meta } = ctx.state;
    const type = readChannelType(ctx.url.searchParams.get("type"));
    if (type === null) throw new HttpError(400, t("Choose the type of the channel first."));
    const input = readChannelForm(await readForm(ctx.req));
    const { email } = requireUser(ctx.state);
    const result = await attempt(() => addChannel(services, project.id, type, input, email));
    if (result.ok && result.value.signingSecret === null) {
      const { channel } = result.value;
      return redirectWithFlash(
        channelPath(project.id, channel.channelId),
        t("{name} is created. Send a test to see that it works.", { name: channel.name }),
      );
    }
    meta.title = `${t("New channel")} · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      type,
      values: enteredValues(input),
      errors: result.ok ? {} : result.errors,
      sendsMail: services.config.smtp !== null,
      created: result.ok ? result.value : null,
    }, {
      status: result.ok ? 201 : 422,
      headers: { "cache-control": "no-store" },
    });
  },
});
