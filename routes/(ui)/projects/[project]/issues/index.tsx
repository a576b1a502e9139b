import { page } from "fresh";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { localPath, readForm } from "@/lib/ui/form.ts";
import { actOnIssues } from "@/lib/errors/issue_actions.ts";
import { IssueListPage, type IssueListView } from "@/lib/errors/issue_list_page.tsx";
import {
  findById,
  idInSearch,
  isPlainAddress,
  loadIssueList,
  parseIssueListParams,
  searchHref,
} from "@/lib/errors/issue_list.ts";
import { rememberSearch } from "@/lib/errors/saved/habits.ts";
import { loadSaved } from "@/lib/errors/saved/load_saved.ts";
import { snippetFor } from "@/lib/projects/snippets/mod.ts";
import { parseScope } from "@/lib/ui/scope.ts";
import { loadListTeam } from "@/lib/errors/workflow/issue_team.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { serverDsn } from "@/lib/server/open_pages.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <IssueListPage {...data} />);

export const handler = define.handlers<IssueListView>({
  async GET(ctx) {
    const { project, role, userId } = await requireProject(ctx, "project:read");
    const { services, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const id = idInSearch(parseIssueListParams(searchParams).query, project.slug);
    const found = id && await findById(services.sql, project.id, id, parseScope(searchParams));
    if (found && id.isCertain) return ctx.redirect(found, 303);

    const place = { organizationId: project.organizationId, userId };
    const saved = await loadSaved(services.sql, place, project.id);
    if (saved.pin !== null && isPlainAddress(searchParams)) {
      return ctx.redirect(searchHref(ctx.url.pathname, parseScope(searchParams), saved.pin), 303);
    }
    const [shell, list] = await Promise.all([
      loadShell(ctx, project),
      loadIssueList(services.sql, project.id, searchParams, { kv: services.kv, userId }),
    ]);
    // Bare digits are words first; only when no issue speaks of them are they taken for an id.
    if (found && list.counts?.all === 0) return ctx.redirect(found, 303);
    if (list.isWorthKeeping && userId !== null) {
      await rememberSearch(services.sql, { ...place, userId }, list.params.query);
    }
    meta.title = `${t("Issues")} · ${project.name}`;
    const snippet = snippetFor(null, project.platform);
    const first = list.hasEvents ? null : { sdk: snippet.sdk, dsn: await serverDsn(ctx, snippet) };
    const ids = list.issues?.rows.map((issue) => issue.id) ?? [];
    const team = await loadListTeam(services, project, ids);
    const params = { ...list.params, hasPin: saved.pin !== null };
    return page({ shell, project, role, first, team, saved, ...list, params });
  },

  async POST(ctx) {
    const { project, userId } = await requireProject(ctx, "issue:write");
    const form = await readForm(ctx.req);
    const { text, kind, undo } = await actOnIssues(ctx.state.services, {
      project,
      user: { id: userId ?? "" },
      issues: form.getAll("issue"),
      form,
    });
    return redirectWithFlash(
      localPath(form.get("back"), ctx.url.pathname + ctx.url.search),
      text,
      kind,
      undo === null ? null : { action: ctx.url.pathname, id: undo },
    );
  },
});
