import { page } from "fresh";
import {
  type PrivacySettings,
  type Project,
  settingsOf,
  updateSettings,
} from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { Checkbox, Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { readPrivacy } from "@/lib/projects/settings_form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface PrivacyData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly privacy: PrivacySettings;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, privacy, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="privacy">
      {!mayWrite && <ReadOnlyNote what="these settings" />}
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        <Panel
          title="Secrets"
          description="What is hidden is replaced by [Filtered] before anything is stored, in everything that is sent. Changes hold for what comes from now on."
        >
          <div class="space-y-4">
            <Checkbox
              name="scrubs"
              label="Hide secrets"
              help="Passwords, tokens, API keys, cookies, authorization headers, card numbers, IBANs, private keys, and passwords in addresses."
              isChecked={privacy.scrubs}
              isDisabled={!mayWrite}
            />
            <Field
              name="extraFields"
              label="More fields to hide"
              value={privacy.extraFields.join("\n")}
              error={errors.extraFields}
              help="Names of fields, one a line, such as customer_number. Case and punctuation do not matter."
              rows={4}
              mono
            />
            <Field
              name="safeFields"
              label="Fields never to hide"
              value={privacy.safeFields.join("\n")}
              error={errors.safeFields}
              help="Names of fields, one a line, that only look like secrets, such as token_count."
              rows={4}
              mono
            />
          </div>
        </Panel>
        <Panel title="Addresses of users">
          <Checkbox
            name="keepsAddresses"
            label="Keep IP addresses"
            help="Off: addresses are taken out of users, request headers and attributes, and none is filled in from the connection."
            isChecked={privacy.keepsAddresses}
            isDisabled={!mayWrite}
          />
        </Panel>
        {mayWrite && <Button kind="primary">Save</Button>}
      </form>
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<PrivacyData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `Privacy · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: roleAllows(role, "project:write"),
      privacy: settingsOf(project).privacy,
      errors: {},
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const form = await readForm(ctx.req);
    const result = await attempt(async () =>
      await updateSettings(ctx.state.services.kv, project.id, { privacy: readPrivacy(form) })
    );
    if (result.ok) {
      return redirectWithFlash(`${sectionPath(project.id, "settings")}/privacy`, "Saved.");
    }
    ctx.state.meta.title = `Privacy · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: true,
      privacy: {
        scrubs: form.has("scrubs"),
        keepsAddresses: form.has("keepsAddresses"),
        extraFields: [form.get("extraFields") ?? ""],
        safeFields: [form.get("safeFields") ?? ""],
      },
      errors: result.errors,
    }, { status: 422 });
  },
});
