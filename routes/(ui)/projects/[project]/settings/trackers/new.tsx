import { HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import {
  ConnectionForm,
  NewHookSecret,
  TrackerTypeChoice,
} from "@/lib/errors/links/connection_form.tsx";
import {
  enteredValues,
  initialValues,
  readConnectionForm,
} from "@/lib/errors/links/connection_forms.ts";
import { addConnection, hookUrl, type SavedConnection } from "@/lib/errors/links/connections.ts";
import {
  readTrackerType,
  TRACKER_KINDS,
  type TrackerType,
} from "@/lib/errors/links/tracker_types.ts";
import { Panel } from "@/lib/ui/components/panel.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { trackerPath, trackersPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface NewTrackerData {
  readonly shell: Shell;
  readonly project: Project;
  /** Null: to be chosen. */
  readonly type: TrackerType | null;
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** Made just now, with the secret of its webhook to show this once. */
  readonly created: (SavedConnection & { readonly url: string }) | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, type, created } = data;
  const all = trackersPath(project.id);
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="trackers">
      {created === null
        ? (
          <Panel
            title={type === null
              ? t("New tracker")
              : t("New tracker: {type}", { type: t(TRACKER_KINDS[type].label) })}
            actions={
              <a class="link" href={type === null ? all : `${all}/new`}>
                {type === null ? t("All trackers") : t("Another type")}
              </a>
            }
          >
            {type === null
              ? <TrackerTypeChoice projectId={project.id} />
              : <ConnectionForm {...data} type={type} isExisting={false} />}
          </Panel>
        )
        : (
          <Panel title={t("{name} is added", { name: created.connection.name })}>
            <NewHookSecret
              secret={created.hookSecret ?? ""}
              url={created.url}
              type={created.connection.type}
            />
            <LinkButton
              class="mt-4"
              href={trackerPath(project.id, created.connection.connectionId)}
            >
              {t("Go on to test it")}
            </LinkButton>
          </Panel>
        )}
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<NewTrackerData>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    ctx.state.meta.title = `${t("New tracker")} · ${project.name}`;
    const type = readTrackerType(ctx.url.searchParams.get("type"));
    return page({
      shell: await loadShell(ctx, project),
      project,
      type,
      values: type === null ? {} : initialValues(type),
      errors: {},
      created: null,
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const { services, meta } = ctx.state;
    const type = readTrackerType(ctx.url.searchParams.get("type"));
    if (type === null) throw new HttpError(400, t("Choose the type of the tracker first."));
    const input = readConnectionForm(type, await readForm(ctx.req));
    const { email } = requireUser(ctx.state);
    const result = await attempt(() => addConnection(services, project.id, type, input, email));
    meta.title = `${t("New tracker")} · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      type,
      values: enteredValues(input),
      errors: result.ok ? {} : result.errors,
      created: result.ok
        ? { ...result.value, url: hookUrl(services, result.value.connection) }
        : null,
    }, {
      status: result.ok ? 201 : 422,
      headers: { "cache-control": "no-store" },
    });
  },
});
