import { requireProject } from "@/lib/accounts/authorize.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import { actOnSearches } from "@/lib/errors/saved/act.ts";
import { loadSaved } from "@/lib/errors/saved/load_saved.ts";
import { SearchesPage, searchesPath, type SearchesView } from "@/lib/errors/saved/page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { t } from "@/lib/core/language/translate.ts";

/** The searches that somebody has saved. */
export default define.page<typeof handler>(({ data }) => <SearchesPage {...data} />);

export const handler = formHandlers<SearchesView>(
  async (ctx) => {
    const { project, role, userId } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `${t("Saved searches")} · ${project.name}`;
    const { sql } = ctx.state.services;
    const place = { organizationId: project.organizationId, userId };
    const [shell, saved] = await Promise.all([
      loadShell(ctx, project),
      loadSaved(sql, place, project.id),
    ]);
    return { shell, project, role, userId, saved, error: null };
  },
  async (ctx) => {
    const { project, role, userId } = await requireProject(ctx, "issue:write");
    const form = await readForm(ctx.req);
    try {
      const acting = { project, role, userId: userId ?? "", form };
      const { kind, text } = await actOnSearches(ctx.state.services.sql, acting);
      const back = localPath(form.get("back"), searchesPath(project.id));
      return redirectWithFlash(back, text, kind);
    } catch (error) {
      if (error instanceof InvalidInput) return { changes: { error: error.message } };
      throw error;
    }
  },
);
