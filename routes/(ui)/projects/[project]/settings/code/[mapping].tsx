import { HttpError } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { MappingForm, readMappingForm } from "@/lib/errors/code/mapping_form.tsx";
import {
  changeMapping,
  deleteMapping,
  findMapping,
  inputOf,
  type MappingInput,
} from "@/lib/errors/code/mappings.ts";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { codePath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { message, t } from "@/lib/core/language/translate.ts";

interface MappingData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly values: MappingInput;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, values, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="code">
      {!mayWrite && <ReadOnlyNote />}
      <Panel
        title={t("Code mapping")}
        actions={<a class="link" href={codePath(project.id)}>{t("All mappings")}</a>}
      >
        {mayWrite
          ? <MappingForm values={values} errors={errors} isExisting />
          : <code class="wrap-anywhere">{values.address}</code>}
      </Panel>
      {mayWrite && (
        <form method="post">
          <Button kind="danger" name="action" value="delete">{t("Remove this mapping")}</Button>
        </form>
      )}
    </ProjectSettingsPage>
  );
});

const GONE = message("This mapping does not exist any more.");

export const handler = formHandlers<MappingData>(async (ctx) => {
  const { project, role } = await requireProject(ctx, "project:read");
  const { services, meta } = ctx.state;
  const mapping = await findMapping(services.sql, project.id, ctx.params.mapping ?? "");
  if (mapping === null) throw new HttpError(404, t(GONE));
  meta.title = `${t("Code mapping")} · ${project.name}`;
  const shell = await loadShell(ctx, project);
  const mayWrite = roleAllows(role, "project:write");
  return { shell, project, mayWrite, values: inputOf(mapping), errors: {} };
}, async (ctx) => {
  const { project } = await requireProject(ctx, "project:write");
  const { sql } = ctx.state.services;
  const mapping = await findMapping(sql, project.id, ctx.params.mapping ?? "");
  if (mapping === null) throw new HttpError(404, t(GONE));
  const form = await readForm(ctx.req);
  if (fieldOf(form, "action") === "delete") {
    await deleteMapping(sql, project.id, mapping.id);
    return redirectWithFlash(codePath(project.id), t("The mapping is removed."));
  }
  const values = readMappingForm(form);
  const { email } = requireUser(ctx.state);
  const result = await attempt(() => changeMapping(sql, project.id, mapping.id, values, email));
  if (result.ok) return redirectWithFlash(codePath(project.id), t("The mapping is saved."));
  return { changes: { values, errors: result.errors } };
});
