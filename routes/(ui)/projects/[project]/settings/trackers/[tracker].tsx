import { type Context, HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import {
  ConnectionCard,
  ConnectionForm,
  HookPanel,
  NewHookSecret,
} from "@/lib/errors/links/connection_form.tsx";
import { actOnConnection, valuesOf } from "@/lib/errors/links/connection_forms.ts";
import {
  type Connection,
  findConnection,
  hookUrl,
  openSecrets,
} from "@/lib/errors/links/connections.ts";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { CONFIRM_FIELD, ConfirmByName, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define, type State } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface TrackerData {
  readonly shell: Shell;
  readonly project: Project;
  readonly connection: Connection;
  readonly mayWrite: boolean;
  readonly isReadable: boolean;
  readonly hasToken: boolean;
  readonly url: string;
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** Made just now, shown this once. */
  readonly hookSecret: string | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, connection, mayWrite, values, errors, hookSecret, url } = data;
  const { [CONFIRM_FIELD]: confirmError, "": problem, ...formErrors } = errors;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="trackers">
      {hookSecret !== null && (
        <NewHookSecret secret={hookSecret} url={url} type={connection.type} />
      )}
      {problem !== undefined && <Alert kind="danger" isLive>{problem}</Alert>}
      {!mayWrite && <ReadOnlyNote />}
      <ConnectionCard {...data} />
      <HookPanel connection={connection} url={url} mayWrite={mayWrite} />
      {mayWrite && (
        <>
          <Panel title={t("Change@@verb")} id="change">
            <ConnectionForm
              type={connection.type}
              values={values}
              errors={formErrors}
              isExisting
            />
          </Panel>
          <Panel title={t("Remove this tracker")} danger>
            <ConfirmByName
              name={connection.name}
              action={t("Remove tracker")}
              idPrefix="delete-"
              fields={{ action: "delete" }}
              error={confirmError}
              consequence={t(
                "Links to its issues stay as plain addresses, and their state is not updated any more. The tracker itself keeps everything.",
              )}
            />
          </Panel>
        </>
      )}
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<TrackerData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const connection = await requireConnection(ctx, project);
    return page(await load(ctx, project, connection, roleAllows(role, "project:write")));
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const connection = await requireConnection(ctx, project);
    const form = await readForm(ctx.req);
    const { email } = requireUser(ctx.state);
    const outcome = await actOnConnection(ctx.state.services, project, connection, form, email);
    if (outcome.kind === "done") {
      return redirectWithFlash(outcome.location, outcome.text, outcome.tone);
    }
    const changed = outcome.kind === "renewed" ? outcome.connection : connection;
    const data = await load(ctx, project, changed, true);
    if (outcome.kind === "renewed") {
      const headers = { "cache-control": "no-store" };
      return page({ ...data, hookSecret: outcome.secret }, { headers });
    }
    const values = outcome.values ?? data.values;
    return page({ ...data, values, errors: outcome.errors }, { status: 422 });
  },
});

/** @throws {HttpError} 404 */
async function requireConnection(ctx: Context<State>, project: Project): Promise<Connection> {
  const { sql } = ctx.state.services;
  const connection = await findConnection(sql, project.id, ctx.params.tracker ?? "");
  if (connection === null) throw new HttpError(404, t("This tracker does not exist any more."));
  return connection;
}

async function load(
  ctx: Context<State>,
  project: Project,
  connection: Connection,
  mayWrite: boolean,
): Promise<TrackerData> {
  const { services, meta } = ctx.state;
  meta.title = `${connection.name} · ${project.name}`;
  const [shell, secrets] = await Promise.all([
    loadShell(ctx, project),
    openSecrets(services, connection),
  ]);
  return {
    shell,
    project,
    connection,
    mayWrite,
    isReadable: secrets !== null,
    hasToken: secrets !== null && secrets.token !== "",
    url: hookUrl(services, connection),
    values: valuesOf(connection),
    errors: {},
    hookSecret: null,
  };
}
