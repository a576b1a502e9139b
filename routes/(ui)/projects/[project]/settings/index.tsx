import { t } from "@/lib/core/language/translate.ts";
import { nameOfActor, requireProject } from "@/lib/accounts/authorize.ts";
import {
  type Project,
  settingsOf,
  updateProject,
  updateSettings,
} from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { deleteProject, GRACE_DAYS } from "@/lib/projects/deletion.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import {
  checkConfirmation,
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "@/lib/ui/components/fields.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, checkForm, fieldOf, readForm } from "@/lib/ui/form.ts";
import { platformOf, PLATFORMS } from "@/lib/projects/platforms.tsx";
import { ResolveForm } from "@/lib/projects/resolve_age.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface GeneralData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
  /** What the form shows: what was sent when it was refused, else what holds. */
  readonly values: { readonly name: string; readonly platform: string };
  /** The same of the days after which issues are resolved. */
  readonly resolveAfterDays: string;
  readonly errors: FormErrors;
}

const DAYS = "resolveAfterDays";

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, mayDelete, values, resolveAfterDays, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="general">
      {mayWrite
        ? <GeneralForm project={project} values={values} errors={errors} />
        : <ReadOnlyNote />}
      {mayWrite && <ResolveOld days={resolveAfterDays} error={errors[DAYS]} />}
      <Panel title={t("About")}>
        <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
          <dt class="text-muted">{t("Project id")}</dt>
          <dd class="tabular-nums">{project.id}</dd>
          <dt class="text-muted">{t("Slug")}</dt>
          <dd>
            <code>{project.slug}</code>
          </dd>
          <dt class="text-muted">{t("Platform")}</dt>
          <dd>{t(platformOf(project.platform).label)}</dd>
          <dt class="text-muted">{t("Old issues")}</dt>
          <dd>{resolvedWhen(settingsOf(project).resolveAfterDays)}</dd>
          <dt class="text-muted">{t("Created")}</dt>
          <dd>
            <ExactTime date={project.createdAt} />
          </dd>
        </dl>
      </Panel>
      {mayDelete && (
        <Panel title={t("Delete this project")} danger>
          <ConfirmByName
            name={project.name}
            action={t("Delete project")}
            idPrefix="delete-"
            fields={{ action: "delete" }}
            error={errors[CONFIRM_FIELD]}
            consequence={t(
              "The project disappears for everybody, and its keys stop working at once: apps that still send to them get an error. For {days} days it can be restored in the organization's settings under General; then everything stored of it is deleted for good.",
              { days: GRACE_DAYS },
            )}
          />
        </Panel>
      )}
    </ProjectSettingsPage>
  );
});

function resolvedWhen(days: number): string {
  return days === 0 ? t("stay as they are") : t(
    "are resolved after {n} day without an event|are resolved after {n} days without an event",
    { n: days },
  );
}

function ResolveOld(
  { days, error }: { readonly days: string; readonly error?: string | undefined },
) {
  return (
    <Panel
      title={t("Old issues")}
      id="old-issues"
      description={t(
        "An issue that has not happened for so long is resolved by itself. When it happens again, it is a regression.",
      )}
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={error === undefined ? {} : { [DAYS]: error }} />
        <input type="hidden" name="action" value="age" />
        <Field
          name={DAYS}
          label={t("Resolve after days")}
          type="number"
          value={days}
          error={error}
          help={t("0 is off.")}
          autocomplete="off"
          required
        />
        <Button>{t("Save")}</Button>
      </form>
    </Panel>
  );
}

function GeneralForm(
  { project, values, errors }: Pick<GeneralData, "project" | "values" | "errors">,
) {
  const { [CONFIRM_FIELD]: _, [DAYS]: __, ...formErrors } = errors;
  // A project made through the API may have a platform that the list lacks: it is kept.
  const options = PLATFORMS.map(({ id, label }): { value: string; label: string } => ({
    value: id,
    label: t(label),
  }));
  const isListed = PLATFORMS.some(({ id }) => id === project.platform);
  return (
    <Panel title={t("General")}>
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={formErrors} />
        <input type="hidden" name="action" value="update" />
        <Field
          name="name"
          label={t("Name")}
          value={values.name}
          error={formErrors.name}
          maxLength={64}
          autocomplete="off"
          required
        />
        <Select
          name="platform"
          label={t("Platform")}
          value={values.platform}
          error={formErrors.platform}
          help={t("Chooses the snippets of the Setup page.")}
          options={isListed
            ? options
            : [{ value: project.platform, label: project.platform }, ...options]}
        />
        <Button kind="primary">{t("Save")}</Button>
      </form>
    </Panel>
  );
}

export const handler = formHandlers<GeneralData>(async (ctx) => {
  const { project, role } = await requireProject(ctx, "project:read");
  ctx.state.meta.title = t("Settings · {name}", { name: project.name });
  return {
    shell: await loadShell(ctx, project),
    project,
    mayWrite: roleAllows(role, "project:write"),
    mayDelete: roleAllows(role, "project:delete"),
    values: project,
    resolveAfterDays: String(settingsOf(project).resolveAfterDays),
    errors: {},
  };
}, async (ctx) => {
  const { services, actor } = ctx.state;
  const form = await readForm(ctx.req);
  if (form.get("action") === "delete") {
    const { project } = await requireProject(ctx, "project:delete");
    const problem = checkConfirmation(form, project.name);
    if (problem !== null) return { changes: { errors: { [CONFIRM_FIELD]: problem } } };
    await deleteProject(services, project, nameOfActor(actor));
    return redirectWithFlash(
      "/projects",
      t("{name} is deleted. For {days} days it can be restored in the organization's settings.", {
        name: project.name,
        days: GRACE_DAYS,
      }),
    );
  }
  const { project } = await requireProject(ctx, "project:write");
  if (form.get("action") === "age") {
    const result = await attempt(() =>
      Promise.resolve().then(() =>
        updateSettings(services.kv, project.id, checkForm(form, ResolveForm))
      )
    );
    if (result.ok) return redirectWithFlash(sectionPath(project.id, "settings"), t("Saved."));
    return { changes: { resolveAfterDays: fieldOf(form, DAYS), errors: result.errors } };
  }
  const values = { name: fieldOf(form, "name"), platform: fieldOf(form, "platform") };
  const result = await attempt(() => updateProject(services.kv, project.id, values));
  if (result.ok) return redirectWithFlash(sectionPath(project.id, "settings"), t("Saved."));
  return { changes: { values, errors: result.errors } };
});
