import { nameOfActor, requireProject } from "@/lib/accounts/authorize.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { ProjectSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { MAX_UPLOAD_BYTES, SETTINGS_WRITE, takeImport } from "@/lib/transfers/files.ts";
import { Transfers, type TransfersView } from "@/lib/transfers/page.tsx";
import { askForTransfer, listTransfers } from "@/lib/transfers/transfers.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readFile, readForm } from "@/lib/ui/form.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface ExportData extends TransfersView {
  readonly shell: Shell;
  readonly project: Project;
}

/** A project's data as files, and back. */
export default define.page<typeof handler>(({ data }) => (
  <ProjectSettingsPage {...data} tab="export">
    <Transfers {...data} />
  </ProjectSettingsPage>
));

export const handler = formHandlers<ExportData>(async (ctx) => {
  const { project } = await requireProject(ctx, "people:data");
  const { services, meta } = ctx.state;
  meta.title = `${t("Export and import")} · ${project.name}`;
  const [shell, transfers] = await Promise.all([
    loadShell(ctx, project),
    listTransfers(services.sql, project.id),
  ]);
  return {
    shell,
    project,
    path: pathOf(project.id),
    transfers,
    refused: null,
    errors: {},
    values: { start: "", end: "" },
  };
}, async (ctx) => {
  const { project } = await requireProject(ctx, "people:data");
  return ctx.req.headers.get("content-type")?.startsWith("multipart/form-data")
    ? await takeFile(ctx, project)
    : await takeRange(ctx, project);
});

async function takeFile(ctx: Asking, project: Project) {
  const { req, state: { services, actor } } = ctx;
  const takesSettings = new URL(req.url).searchParams.get("settings") === "true";
  for (const right of takesSettings ? SETTINGS_WRITE : []) await requireProject(ctx, right);
  const file = await readFile(req, "file", MAX_UPLOAD_BYTES);
  const by = nameOfActor(actor);
  const taken = await attempt(() => takeImport(services, project, file, by, takesSettings));
  return taken.ok
    ? redirectWithFlash(pathOf(project.id), t("The import is under way."))
    : { changes: { refused: "import" as const, errors: taken.errors } };
}

async function takeRange({ req, state: { services, actor } }: Asking, project: Project) {
  const form = await readForm(req);
  actionOf({ export: "export" } as const, form);
  const values = { start: fieldOf(form, "start"), end: fieldOf(form, "end") };
  const asked = await attempt(async () => {
    const since = dayIn(values.start, "start");
    const last = dayIn(values.end, "end");
    const until = last && new Date(last.getTime() + DAY_MS);
    if (since && until && until <= since) {
      throw new InvalidInput("end", t("The last day is before the first."));
    }
    return await askForTransfer(services.sql, project, {
      kind: "export",
      by: nameOfActor(actor),
      ...(since && { since }),
      ...(until && { until }),
    });
  });
  return asked.ok
    ? redirectWithFlash(pathOf(project.id), t("The export is under way."))
    : { changes: { refused: "export" as const, errors: asked.errors, values } };
}

/** @throws {InvalidInput} */
function dayIn(text: string, field: string): Date | null {
  if (text === "") return null;
  const day = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime())) return day;
  throw new InvalidInput(field, t("Enter a day as 2026-11-20."));
}

function pathOf(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/export`;
}
