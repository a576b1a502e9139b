import type { Project } from "@/lib/accounts/projects.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { ProjectSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { actOnUploads, loadUploads } from "@/lib/sourcemaps/artifacts/page_actions.ts";
import { type UploadsData, UploadsPanel } from "@/lib/sourcemaps/artifacts/page.tsx";
import { DELETE_UPLOADS } from "@/lib/sourcemaps/artifacts/bundles.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { sourceMapsPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import { t } from "@/lib/core/language/translate.ts";

interface Data extends UploadsData {
  readonly shell: Shell;
  readonly project: Project;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, ...uploads } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="source-maps">
      <UploadsPanel {...uploads} />
    </ProjectSettingsPage>
  );
});

export const handler = formHandlers<Data>(async (ctx) => {
  const access = await requireProject(ctx, "project:read");
  const { services, meta } = ctx.state;
  meta.title = `${t("Source maps")} · ${access.project.name}`;
  return {
    shell: await loadShell(ctx, access.project),
    project: access.project,
    ...await loadUploads(services, access, ctx.url),
  };
}, async (ctx) => {
  const access = await requireProject(ctx, DELETE_UPLOADS);
  const result = await actOnUploads(ctx.state.services, access, await readForm(ctx.req));
  return typeof result === "string"
    ? redirectWithFlash(sourceMapsPath(access.project.id), result)
    : { changes: result };
});
