import { type Context, HttpError, page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { CreateRemoteForm } from "@/lib/errors/links/create_form.tsx";
import { type Connection, findConnection } from "@/lib/errors/links/connections.ts";
import { loadDraft, readDraft } from "@/lib/errors/links/load_draft.ts";
import type { Issue } from "@/lib/errors/issues.ts";
import { shortIdOf } from "@/lib/errors/workflow/short_id.ts";
import { actOnLinks } from "@/lib/errors/links/link_forms.ts";
import type { Draft } from "@/lib/errors/links/tracker.ts";
import { TRACKER_KINDS } from "@/lib/errors/links/tracker_types.ts";
import { requireIssue } from "@/lib/errors/load_issue_page.ts";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { Page } from "@/lib/ui/components/page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, localPath, readForm } from "@/lib/ui/form.ts";
import { issuePath, issuesPath } from "@/lib/ui/links.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject, requireUser } from "@/lib/accounts/authorize.ts";
import { define, type State } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

interface NewRemoteData {
  readonly shell: Shell;
  readonly project: Project;
  readonly issue: Issue;
  readonly connection: Connection;
  readonly draft: Draft;
  readonly errors: FormErrors;
  readonly onceId: string;
}

/** A form of a title, and of a body that holds a stack. */
const MAX_FORM_BYTES = 400_000;

/** An issue that is about to be made in a tracker. */
export default define.page<typeof handler>(({ data }) => {
  const { shell, project, issue } = data;
  const back = issuePath(project.id, issue.id);
  return (
    <Page
      shell={shell}
      section="issues"
      crumbs={[
        { label: project.name, href: issuesPath(project.id) },
        { label: t("Issues"), href: issuesPath(project.id) },
        { label: shortIdOf(project.slug, issue.number), href: back },
        { label: t("New in a tracker") },
      ]}
      width="narrow"
    >
      <CreateRemoteForm {...data} back={back} />
    </Page>
  );
});

export const handler = define.handlers<NewRemoteData>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "issue:write");
    const { services } = ctx.state;
    const issue = await requireIssue(services.sql, project.id, ctx.params.issue ?? "");
    const { searchParams } = ctx.url;
    const connection = await requireConnection(ctx, project, searchParams.get("tracker"));
    const draft = await loadDraft(services, project, issue, connection);
    if (searchParams.has("form")) return openForm(project, issue.id, connection, draft);
    return page(await view(ctx, project, { issue, connection, draft, errors: {} }));
  },

  async POST(ctx) {
    const { project, userId } = await requireProject(ctx, "issue:write");
    const { services } = ctx.state;
    const issue = await requireIssue(services.sql, project.id, ctx.params.issue ?? "");
    const form = await readForm(ctx.req, MAX_FORM_BYTES);
    const { email: by } = requireUser(ctx.state);
    const linking = { projectId: project.id, issueId: issue.id, by, userId };
    const result = await actOnLinks(services, linking, form);
    const back = localPath(form.get("back"), issuePath(project.id, issue.id));
    if (!("errors" in result)) return redirectWithFlash(`${back}#links`, result.text, result.kind);
    const connection = await requireConnection(ctx, project, fieldOf(form, "tracker"));
    const data = { issue, connection, draft: readDraft(form), errors: result.errors };
    return page(await view(ctx, project, data), { status: 422 });
  },
});

/** The tracker's own form, filled in. */
function openForm(
  project: Project,
  issueId: string,
  connection: Connection,
  draft: Draft,
): Response {
  const url = TRACKER_KINDS[connection.type].formUrl(connection.settings, draft);
  if (url === null) {
    const text = t("{name} lacks the numbers of its form: test the connection, and enter them.", {
      name: connection.name,
    });
    return redirectWithFlash(issuePath(project.id, issueId), text, "warning");
  }
  return new Response(null, {
    status: 303,
    headers: { location: url, "referrer-policy": "no-referrer", "cache-control": "no-store" },
  });
}

/** @throws {HttpError} 404 */
async function requireConnection(
  ctx: Context<State>,
  project: Project,
  connectionId: string | null,
): Promise<Connection> {
  const { sql } = ctx.state.services;
  const connection = await findConnection(sql, project.id, connectionId ?? "");
  if (connection === null) throw new HttpError(404, t("This tracker does not exist any more."));
  return connection;
}

async function view(
  ctx: Context<State>,
  project: Project,
  data: Pick<NewRemoteData, "issue" | "connection" | "draft" | "errors">,
): Promise<NewRemoteData> {
  ctx.state.meta.title = `${
    t("New issue in {name}", { name: data.connection.name })
  } · ${project.name}`;
  const shell = await loadShell(ctx, project);
  return { shell, project, onceId: crypto.randomUUID(), ...data };
}
