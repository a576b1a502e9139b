import { page } from "fresh";
import { type Project, settingsOf, updateSettings } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { percentText, readPerformance } from "@/lib/projects/settings_form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

type FieldName = "sampleRate" | "apdexMs" | "sourceLink" | "sourceRoot";

interface PerformanceData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  /** What the form shows: what was sent when it was refused, else what holds. */
  readonly values: Readonly<Record<FieldName, string>>;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, values, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="performance">
      {!mayWrite && <ReadOnlyNote what="these settings" />}
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        <Panel
          title="Sampling"
          description="Keeps a share of the traces that are sent, so that storage grows less. Changes hold from the next request on, for what comes from then on."
        >
          <div class="max-w-md">
            <Field
              name="sampleRate"
              label="Traces to keep, in percent"
              value={values.sampleRate}
              error={errors.sampleRate}
              help="From 0 to 100. Decided by trace id: a trace is kept or dropped whole, whichever of its services sends it, through Sentry's SDKs and OpenTelemetry alike."
              autocomplete="off"
              required
            />
          </div>
          <p class="mt-4 max-w-3xl text-sm text-muted">
            Transactions, spans and the profiles of a trace are sampled; errors and logs never are.
            Counts, throughput and times in total are extrapolated from what is kept; durations and
            failure rates are those of the traces that are kept. What is dropped shows as sampled in
            Usage.
          </p>
        </Panel>
        <Panel
          title="Apdex"
          description="One figure for how content users are, from 0 to 1. Changes hold for what is stored already as well."
        >
          <div class="max-w-md">
            <Field
              name="apdexMs"
              label="Satisfying duration, in milliseconds"
              value={values.apdexMs}
              error={errors.apdexMs}
              help="Transactions up to this long count whole, those up to four times as long half, longer ones not at all."
              autocomplete="off"
              required
            />
          </div>
        </Panel>
        <Panel
          title="Source code"
          description="Boxes of flame graphs lead to the line in your repository. Go's own packages and public modules are found without."
        >
          <div class="max-w-2xl space-y-4">
            <Field
              name="sourceLink"
              label="Address of a line"
              isOptional
              value={values.sourceLink}
              error={errors.sourceLink}
              placeholder="https://github.com/acme/shop/blob/main/{file}#L{line}"
              help="{file} and {line} are filled in."
              autocomplete="off"
              mono
            />
            <Field
              name="sourceRoot"
              label="Paths begin with"
              isOptional
              value={values.sourceRoot}
              error={errors.sourceRoot}
              placeholder="/app/"
              help="What profiles have before the paths of your repository. Files without it are not looked for there."
              autocomplete="off"
              mono
            />
          </div>
        </Panel>
        {mayWrite && <Button kind="primary">Save</Button>}
      </form>
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<PerformanceData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `Performance settings · ${project.name}`;
    const { sampleRate, apdexMs, sourceLink, sourceRoot } = settingsOf(project);
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: roleAllows(role, "project:write"),
      values: {
        sampleRate: percentText(sampleRate),
        apdexMs: String(apdexMs),
        sourceLink,
        sourceRoot,
      },
      errors: {},
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const form = await readForm(ctx.req);
    const result = await attempt(async () =>
      await updateSettings(ctx.state.services.kv, project.id, readPerformance(form))
    );
    if (result.ok) {
      return redirectWithFlash(`${sectionPath(project.id, "settings")}/performance`, "Saved.");
    }
    ctx.state.meta.title = `Performance settings · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: true,
      values: {
        sampleRate: fieldOf(form, "sampleRate"),
        apdexMs: fieldOf(form, "apdexMs"),
        sourceLink: fieldOf(form, "sourceLink"),
        sourceRoot: fieldOf(form, "sourceRoot"),
      },
      errors: result.errors,
    }, { status: 422 });
  },
});
