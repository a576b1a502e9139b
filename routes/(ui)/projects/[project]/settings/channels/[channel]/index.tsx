import { type Context, HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { CursorPage } from "@/lib/store/query_limits.ts";
import { CHANNEL_KINDS } from "@/lib/alerts/channels/channel_types.ts";
import { type Channel, findChannel } from "@/lib/alerts/channels/channels.ts";
import { listRules } from "@/lib/alerts/mod.ts";
import { listMonitors } from "@/lib/monitors/mod.ts";
import { alertPath, monitorPath } from "@/lib/ui/links.ts";
import { type Delivery, listDeliveries } from "@/lib/alerts/deliveries/deliveries.ts";
import { Alert, EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { CONFIRM_FIELD, ConfirmByName, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { Pagination } from "@/lib/ui/components/table.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { actOnChannel, valuesOf } from "@/lib/alerts/channels/act_on_channel.ts";
import {
  ChannelCard,
  ChannelForm,
  NewSigningSecret,
  SignaturePanel,
  type Teller,
} from "@/lib/alerts/channels/channel_form.tsx";
import { DeliveryTable } from "@/lib/alerts/channels/channel_tables.tsx";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { readSettings } from "@/lib/alerts/channels/settings.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define, type State } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface ChannelData {
  readonly shell: Shell;
  readonly project: Project;
  readonly channel: Channel;
  readonly deliveries: CursorPage<Delivery>;
  readonly mayWrite: boolean;
  /** False: nobody has entered them yet, or the key that sealed them is not the instance's any more. */
  readonly isReadable: boolean;
  readonly tellers: readonly Teller[];
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** Made just now, shown this once. */
  readonly signingSecret: string | null;
}

const DELIVERIES_A_PAGE = 50;

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, channel, mayWrite, values, errors, signingSecret } = data;
  const { [CONFIRM_FIELD]: confirmError, "": problem, ...formErrors } = errors;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="channels">
      {signingSecret !== null && <NewSigningSecret secret={signingSecret} />}
      {problem !== undefined && <Alert kind="danger" isLive>{problem}</Alert>}
      {!mayWrite && <ReadOnlyNote />}
      <ChannelCard
        channel={channel}
        mayWrite={mayWrite}
        isReadable={data.isReadable}
        tellers={data.tellers}
      />
      <Deliveries {...data} />
      {mayWrite && (
        <Panel title={t("Change@@noun")} id="change">
          <ChannelForm
            type={channel.type}
            values={values}
            errors={formErrors}
            isExisting
            hasSettings={data.isReadable}
          />
        </Panel>
      )}
      {CHANNEL_KINDS[channel.type].isSigned && <SignaturePanel mayWrite={mayWrite} />}
      {mayWrite && (
        <Panel title={t("Delete this channel")} danger>
          <ConfirmByName
            name={channel.name}
            action={t("Delete channel")}
            idPrefix="delete-"
            fields={{ action: "delete" }}
            error={confirmError}
            consequence={t(
              "Alert rules do not reach anybody through it any more. Its deliveries go with it, those that wait as well.",
            )}
          />
        </Panel>
      )}
    </ProjectSettingsPage>
  );
});

function Deliveries({ deliveries, mayWrite }: ChannelData) {
  const { rows, previousCursor, nextCursor } = deliveries;
  const hrefOf = (cursor: string | null) => cursor && `?cursor=${cursor}#deliveries`;
  const isPaged = previousCursor !== null || nextCursor !== null;
  return (
    <Panel
      title={t("Deliveries")}
      id="deliveries"
      description={t("Every notification of the last 30 days and what the receiver responded.")}
      flush
    >
      {rows.length === 0
        ? (
          <EmptyState title={t("Nothing sent yet")}>
            {t("Send a test, or choose the channel in an alert rule.")}
          </EmptyState>
        )
        : <DeliveryTable deliveries={rows} mayWrite={mayWrite} />}
      {isPaged && (
        <Pagination
          previousHref={hrefOf(previousCursor)}
          nextHref={hrefOf(nextCursor)}
          label={t("Pages of deliveries")}
        />
      )}
    </Panel>
  );
}

export const handler = define.handlers<ChannelData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const channel = await requireChannel(ctx, project);
    return page(await load(ctx, project, channel, roleAllows(role, "project:write")));
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const channel = await requireChannel(ctx, project);
    const form = await readForm(ctx.req);
    const { services } = ctx.state;
    const done = await actOnChannel(services, project, channel, form, requireUser(ctx.state).email);
    if (done.kind === "done") return redirectWithFlash(done.location, done.text, done.tone);
    const changed = done.kind === "renewed" ? done.channel : channel;
    const data = await load(ctx, project, changed, true);
    return done.kind === "renewed"
      ? page({ ...data, signingSecret: done.secret }, { headers: { "cache-control": "no-store" } })
      : page({ ...data, values: done.values ?? data.values, errors: done.errors }, { status: 422 });
  },
});

/** @throws {HttpError} 404 */
async function requireChannel(ctx: Context<State>, project: Project): Promise<Channel> {
  const { sql } = ctx.state.services;
  const channel = await findChannel(sql, project.id, ctx.params.channel ?? "");
  if (channel === null) throw new HttpError(404, t("This channel does not exist any more."));
  return channel;
}

async function load(
  ctx: Context<State>,
  project: Project,
  channel: Channel,
  mayWrite: boolean,
): Promise<ChannelData> {
  const { services, meta } = ctx.state;
  meta.title = `${channel.name} · ${project.name}`;
  const cursor = ctx.url.searchParams.get("cursor");
  const [shell, deliveries, settings, rules, monitors] = await Promise.all([
    loadShell(ctx, project),
    listDeliveries(services.sql, project.id, channel.channelId, {
      cursor,
      limit: DELIVERIES_A_PAGE,
    }),
    readSettings(services, channel),
    listRules(services.sql, project.id),
    listMonitors(services.sql, project.id),
  ]);
  const telling = <Each extends { readonly channelIds: readonly string[] }>(all: readonly Each[]) =>
    all.filter(({ channelIds }) => channelIds.includes(channel.channelId));
  return {
    shell,
    project,
    channel,
    deliveries,
    mayWrite,
    isReadable: settings !== null,
    tellers: [
      ...telling(rules).map(({ name, ruleId }) => ({ name, href: alertPath(project.id, ruleId) })),
      ...telling(monitors).map(({ name, monitorId }) => ({
        name,
        href: monitorPath(project.id, monitorId),
      })),
    ],
    values: valuesOf(channel.name, settings),
    errors: {},
    signingSecret: null,
  };
}
