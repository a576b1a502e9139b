import { HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { ProjectSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import {
  type ArtifactBundle,
  findBundle,
  type ListedFile,
  listFiles,
} from "@/lib/sourcemaps/artifacts/bundles.ts";
import { FilesPanel } from "@/lib/sourcemaps/artifacts/page.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { t } from "@/lib/core/language/translate.ts";

interface Data {
  readonly shell: Shell;
  readonly project: Project;
  readonly bundle: ArtifactBundle;
  readonly files: readonly ListedFile[];
  readonly nextCursor: string | null;
}

const FILES_A_PAGE = 200;

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, ...upload } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="source-maps">
      <FilesPanel {...upload} projectId={project.id} />
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<Data>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const bundle = await findBundle(sql, project.id, ctx.params.bundle ?? "");
    if (bundle === null) throw new HttpError(404, t("There is no such upload, or it was deleted."));
    meta.title = `${t("Source maps")} · ${project.name}`;
    const { bundleId } = bundle;
    const cursor = ctx.url.searchParams.get("cursor");
    const [shell, found] = await Promise.all([
      loadShell(ctx, project),
      listFiles(sql, project.id, { bundleId }, { cursor, limit: FILES_A_PAGE }),
    ]);
    return page({ shell, project, bundle, files: found.rows, nextCursor: found.nextCursor });
  },
});
