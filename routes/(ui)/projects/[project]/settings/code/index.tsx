import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import {
  MappingForm,
  MappingList,
  NEW_MAPPING,
  readMappingForm,
} from "@/lib/errors/code/mapping_form.tsx";
import {
  addMapping,
  type CodeMapping,
  listMappings,
  type MappingInput,
} from "@/lib/errors/code/mappings.ts";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { codePath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface CodeData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mappings: readonly CodeMapping[];
  readonly mayWrite: boolean;
  readonly values: MappingInput;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mappings, mayWrite, values, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="code">
      {!mayWrite && <ReadOnlyNote />}
      <Panel
        title={t("Code mappings")}
        id="mappings"
        description={t(
          "Stack frames link to their line in the repository, at the commit of the release where that is known.",
        )}
        flush
      >
        {mappings.length === 0
          ? (
            <EmptyState icon="traces" title={t("No mappings")}>
              {t(
                "Say which repository the files of stacks come from, and each frame of the app links to its line.",
              )}
            </EmptyState>
          )
          : <MappingList mappings={mappings} />}
      </Panel>
      {mayWrite && (
        <Panel title={t("New mapping")} id="new">
          <MappingForm values={values} errors={errors} isExisting={false} />
        </Panel>
      )}
    </ProjectSettingsPage>
  );
});

export const handler = formHandlers<CodeData>(async (ctx) => {
  const { project, role } = await requireProject(ctx, "project:read");
  const { services, meta } = ctx.state;
  meta.title = `${t("Code")} · ${project.name}`;
  const [shell, mappings] = await Promise.all([
    loadShell(ctx, project),
    listMappings(services.sql, project.id),
  ]);
  const mayWrite = roleAllows(role, "project:write");
  return { shell, project, mappings, mayWrite, values: NEW_MAPPING, errors: {} };
}, async (ctx) => {
  const { project } = await requireProject(ctx, "project:write");
  const values = readMappingForm(await readForm(ctx.req));
  const { email } = requireUser(ctx.state);
  const { sql } = ctx.state.services;
  const result = await attempt(() => addMapping(sql, project.id, values, email));
  if (result.ok) return redirectWithFlash(codePath(project.id), t("The mapping is added."));
  return { changes: { values, errors: result.errors } };
});
