import { t } from "@/lib/core/language/translate.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { type CodeMapping, listMappings } from "@/lib/errors/code/mappings.ts";
import { MAX_CODEOWNERS_BYTES } from "@/lib/errors/ownership/codeowners.ts";
import { loadRules, type ProjectRules } from "@/lib/errors/ownership/load_rules.ts";
import { namesOf, namesText, readAutoAssignment } from "@/lib/errors/ownership/read_form.ts";
import {
  FilePanel,
  type FileValues,
  type OwnershipValues,
  RulesPanel,
  TryPanel,
} from "@/lib/errors/ownership/ownership_page.tsx";
import {
  AUTO_ASSIGNMENTS,
  deleteCodeowners,
  saveCodeowners,
  saveOwnership,
} from "@/lib/errors/ownership/settings.ts";
import { type TriedRules, tryRules } from "@/lib/errors/ownership/try_rules.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readUpload } from "@/lib/ui/form.ts";
import { ownershipPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";

/** The longest CODEOWNERS file, and room for what goes with it. */
const MAX_BYTES = MAX_CODEOWNERS_BYTES + 500_000;

interface OwnershipData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly rules: ProjectRules;
  readonly mappings: readonly CodeMapping[];
  readonly values: OwnershipValues;
  readonly errors: FormErrors;
  readonly fileValues: FileValues;
  readonly fileErrors: FormErrors;
  readonly tried: TriedRules | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, fileValues, fileErrors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="ownership">
      {!mayWrite && <ReadOnlyNote />}
      <RulesPanel {...data} />
      <TryPanel projectId={project.id} tried={data.tried} />
      <FilePanel {...data} projectId={project.id} values={fileValues} errors={fileErrors} />
    </ProjectSettingsPage>
  );
});

export const handler = formHandlers<OwnershipData>(async (ctx) => {
  const { project, role } = await requireProject(ctx, "project:read");
  const { services, meta } = ctx.state;
  meta.title = `${t("Ownership")} · ${project.name}`;
  const [shell, rules, mappings] = await Promise.all([
    loadShell(ctx, project),
    loadRules(services, project),
    listMappings(services.sql, project.id),
  ]);
  const { settings, codeowners } = rules;
  const asked = ctx.url.searchParams.get("try")?.trim() ?? "";
  return {
    shell,
    project,
    mayWrite: roleAllows(role, "project:write"),
    rules,
    mappings,
    values: settings,
    errors: {},
    fileValues: {
      raw: codeowners?.raw ?? "",
      codeMappingId: codeowners?.codeMappingId ?? "",
      names: namesText(codeowners?.names ?? {}),
    },
    fileErrors: {},
    tried: asked === "" ? null : await tryRules(services.sql, project.id, rules, asked),
  };
}, async (ctx) => {
  const { project } = await requireProject(ctx, "project:write");
  const { services } = ctx.state;
  const { email } = requireUser(ctx.state);
  const form = await readUpload(ctx.req, MAX_BYTES);
  const field = (name: string) => form.get(name) ?? "";
  const done = (words: string) => redirectWithFlash(ownershipPath(project.id), words);
  if (field("action") === "remove-file") {
    await deleteCodeowners(services.sql, project.id);
    return done(t("The CODEOWNERS file is removed."));
  }
  if (field("action") === "save-file") {
    const raw = field("upload") || form.get("raw");
    const codeMappingId = field("codeMappingId");
    const names = field("names");
    const result = await attempt(() =>
      saveCodeowners(services, project, {
        ...raw === undefined ? {} : { raw },
        codeMappingId: codeMappingId || null,
        names: namesOf(names),
      }, email)
    );
    if (result.ok) return done(t("The CODEOWNERS file is saved."));
    const fileValues = { raw: raw ?? "", codeMappingId, names };
    return { changes: { fileValues, fileErrors: result.errors } };
  }
  const raw = field("raw");
  const chosen = field("autoAssignment");
  const result = await attempt(() =>
    saveOwnership(services, project, { raw, autoAssignment: readAutoAssignment(chosen) }, email)
  );
  if (result.ok) return done(t("The ownership rules are saved."));
  const autoAssignment = AUTO_ASSIGNMENTS.find((each) => each === chosen) ?? "owner";
  return { changes: { values: { raw, autoAssignment }, errors: result.errors } };
});
