import { type Message, t } from "../core/language/translate.ts";
import { page } from "fresh";
import { requireProject } from "../accounts/authorize.ts";
import { roleAllows } from "../accounts/members.ts";
import {
  type Project,
  type ProjectSettings,
  settingsOf,
  updateSettings,
} from "../accounts/projects.ts";
import type { ProjectSettingsTab, SettingsFormData } from "../projects/settings_page.tsx";
import { redirectWithFlash } from "../ui/cookies.ts";
import { attempt, readForm } from "../ui/form.ts";
import { sectionPath } from "../ui/links.ts";
import { define, type State } from "./define.ts";
import { loadShell } from "./shell.tsx";

/** What a request for a page of settings is answered from. */
interface Asking {
  readonly project: Project;
  readonly url: URL;
  readonly services: State["services"];
}

interface SettingsForm<Values, More> {
  readonly tab: ProjectSettingsTab;
  /** Of the page. */
  readonly title: Message;
  /** What the form shows of the settings that hold. */
  readonly valuesOf: (settings: ProjectSettings) => Values;
  /** What was entered, to be corrected. */
  readonly entered: (form: URLSearchParams) => Values;
  /** The settings that the form asks for. @throws {InvalidInput} */
  readonly read: (
    form: URLSearchParams,
    services: State["services"],
  ) => Partial<ProjectSettings>;
  /** What the page shows beside its form; of a form that was refused, `url` has no parameters. */
  readonly load: (asking: Asking) => More | Promise<More>;
}

/**
 * The handlers of a page of project settings that is one form: shows it to whoever may read the project, saves it for
 * whoever may write it, and shows it again with what was wrong (422).
 */
export function settingsHandlers<Values, More = unknown>(
  { tab, title, valuesOf, entered, read, load }: SettingsForm<Values, More>,
) {
  return define.handlers<SettingsFormData<Values> & More>({
    async GET(ctx) {
      const { project, role } = await requireProject(ctx, "project:read");
      ctx.state.meta.title = `${t(title)} · ${project.name}`;
      return page({
        shell: await loadShell(ctx, project),
        project,
        mayWrite: roleAllows(role, "project:write"),
        values: valuesOf(settingsOf(project)),
        errors: {},
        ...await load({ project, url: ctx.url, services: ctx.state.services }),
      });
    },

    async POST(ctx) {
      const { project } = await requireProject(ctx, "project:write");
      const { services } = ctx.state;
      const form = await readForm(ctx.req);
      const result = await attempt(async () =>
        await updateSettings(services.kv, project.id, read(form, services))
      );
      if (result.ok) {
        return redirectWithFlash(`${sectionPath(project.id, "settings")}/${tab}`, t("Saved."));
      }
      ctx.state.meta.title = `${t(title)} · ${project.name}`;
      return page({
        shell: await loadShell(ctx, project),
        project,
        mayWrite: true,
        values: entered(form),
        errors: result.errors,
        ...await load({ project, url: new URL(ctx.url.pathname, ctx.url), services }),
      }, { status: 422 });
    },
  });
}
