import { t } from "@/lib/core/language/translate.ts";
import { type Project, settingsOf } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { Field, FormSummary } from "@/lib/ui/components/fields.tsx";
import { DoctorPanel } from "@/lib/usage/doctor_panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import {
  actOnKeys,
  keyNamesOf,
  type KeysOfProject,
  loadKeys,
  PROJECT_FORM,
  type RefusedForm,
} from "@/lib/projects/key_actions.ts";
import { KeyCard, KeyForm } from "@/lib/projects/keys.tsx";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface KeysData extends KeysOfProject {
  readonly shell: Shell;
  readonly project: Project;
  readonly baseUrl: string;
  readonly instanceRatePerSec: number;
  readonly mayWrite: boolean;
  readonly refusedForm: RefusedForm | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, keys, usage, refused, baseUrl, mayWrite, refusedForm } = data;
  const errorsOf = (key: string) => refusedForm?.key === key ? refusedForm.errors : {};
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="keys">
      {!mayWrite && <ReadOnlyNote />}
      {keys.length === 0 && (
        <Panel>
          <EmptyState icon="key" title={t("No keys")}>
            {t("Without a key nothing can be sent to this project.")}
          </EmptyState>
        </Panel>
      )}
      {keys.map((key) => (
        <KeyCard
          key={key.id}
          ingestKey={key}
          baseUrl={baseUrl}
          usage={usage.get(key.id)}
          mayWrite={mayWrite}
          errors={errorsOf(key.id)}
          failedAction={refusedForm?.key === key.id ? refusedForm.action : null}
        />
      ))}
      {mayWrite && (
        <Panel
          title={t("New key")}
          id="new-key"
          description={t("One key for each app makes it easy to shut one out.")}
        >
          <KeyForm errors={errorsOf("")} />
        </Panel>
      )}
      <RatePanel {...data} />
      <DoctorPanel
        refused={refused}
        keyNames={keyNamesOf(keys)}
        href={`${sectionPath(project.id, "settings")}/keys`}
      />
    </ProjectSettingsPage>
  );
});

function RatePanel({ project, instanceRatePerSec, mayWrite, refusedForm }: KeysData) {
  const errors = refusedForm?.key === PROJECT_FORM ? refusedForm.errors : {};
  const { ratePerSec } = settingsOf(project);
  return (
    <Panel
      title={t("Rate limit")}
      id="rate-limit"
      description={t(
        "All keys together: at most {instanceRatePerSec} requests a second on this instance, twice that in a burst. More is answered with 429.",
        { instanceRatePerSec },
      )}
    >
      {mayWrite
        ? (
          <form method="post" class="max-w-md space-y-4">
            <FormSummary errors={errors} idPrefix="project-" />
            <Field
              name="rate"
              idPrefix="project-"
              label={t("The project's own limit")}
              value={ratePerSec === null ? "" : String(ratePerSec)}
              error={errors.rate}
              help={t("Requests a second; empty for the instance's.")}
              autocomplete="off"
            />
            <Button name="action" value="project_rate">{t("Save limit")}</Button>
          </form>
        )
        : (
          <p>
            {ratePerSec === null ? t("The project has no limit of its own.") : `${ratePerSec} /s`}
          </p>
        )}
    </Panel>
  );
}

export const handler = formHandlers<KeysData>(async (ctx) => {
  const { project, role } = await requireProject(ctx, "key:read");
  const { services, meta } = ctx.state;
  meta.title = t("DSN keys · {name}", { name: project.name });
  return {
    shell: await loadShell(ctx, project),
    project,
    ...await loadKeys(services, project.id),
    baseUrl: services.config.baseUrl,
    instanceRatePerSec: services.config.ingestRatePerSec,
    mayWrite: roleAllows(role, "key:write"),
    refusedForm: null,
  };
}, async (ctx) => {
  const { project } = await requireProject(ctx, "key:write");
  const result = await actOnKeys(ctx.state.services.kv, project, await readForm(ctx.req));
  return typeof result === "string"
    ? redirectWithFlash(`${sectionPath(project.id, "settings")}/keys`, result)
    : { changes: { refusedForm: result } };
});
