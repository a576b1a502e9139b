import type { ComponentChildren } from "preact";
import { type Role, roleAllows } from "../../accounts/members.ts";
import type { Project } from "../../accounts/projects.ts";
import { classes, Icon, type IconName } from "../../ui/components/icon.tsx";
import { Page, PageHeader, Tabs } from "../../ui/components/page.tsx";
import { issuePath, issuesPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import type { Issue } from "../issues.ts";
import { shortIdOf } from "../workflow/short_id.ts";
import { message, t } from "../../core/language/translate.ts";
import { issueWords } from "../monitor_words.ts";

/** What pages about managing an issue have in common. */
export interface ManageView {
  readonly shell: Shell;
  readonly project: Project;
  readonly role: Role;
  readonly issue: Issue;
}

const PAGES = [
  { page: "similar", label: message("Similar issues"), icon: "search" },
  { page: "groups", label: message("Groups"), icon: "merge" },
  { page: "share", label: message("Share"), icon: "external" },
  { page: "delete", label: message("Delete"), icon: "trash" },
] as const satisfies readonly { page: string; label: string; icon: IconName }[];

export type ManagePageId = (typeof PAGES)[number]["page"];

/** `/projects/7/issues/12/similar` */
export function managePath(projectId: string, issueId: string, page: ManagePageId): string {
  return `${issuePath(projectId, issueId)}/${page}`;
}

interface ManageLinksProps {
  readonly projectId: string;
  readonly issueId: string;
  readonly class?: string;
}

/** The ways from an issue to what can be done with it beyond its state. */
export function ManageLinks({ projectId, issueId, class: extra }: ManageLinksProps) {
  return (
    <nav aria-label={t("More about this issue")} class={classes("text-sm", extra)}>
      <ul class="flex flex-wrap gap-x-4 gap-y-1">
        {PAGES.map(({ page, label, icon }) => (
          <li key={page}>
            <a
              class="inline-flex items-center gap-1.5 text-muted hover:text-ink hover:underline"
              href={managePath(projectId, issueId, page)}
            >
              <Icon name={icon} size={14} />
              {t(label)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface ManagePageProps {
  readonly view: ManageView;
  readonly page: ManagePageId;
  readonly children: ComponentChildren;
}

/** The frame of a page about managing an issue. */
export function ManagePage({ view, page, children }: ManagePageProps) {
  const { shell, project, issue } = view;
  const list = issuesPath(project.id);
  const { title, culprit } = issueWords(issue);
  return (
    <Page
      shell={shell}
      section="issues"
      width="narrow"
      crumbs={[
        { label: project.name, href: list },
        { label: t("Issues"), href: list },
        { label: shortIdOf(project.slug, issue.number), href: issuePath(project.id, issue.id) },
        { label: t(PAGES.find((each) => each.page === page)?.label ?? "Share") },
      ]}
    >
      <PageHeader
        title={
          <a
            class="line-clamp-2 hover:underline"
            href={issuePath(project.id, issue.id)}
            title={title}
          >
            <bdi>{title}</bdi>
          </a>
        }
        description={culprit}
      />
      <div class="mb-4">
        <Tabs
          label={t("About this issue")}
          tabs={[
            {
              href: issuePath(project.id, issue.id),
              label: t("The issue"),
              isCurrent: false,
            },
            ...PAGES.map((each) => ({
              href: managePath(project.id, issue.id, each.page),
              label: t(each.label),
              isCurrent: each.page === page,
            })),
          ]}
        />
      </div>
      {children}
    </Page>
  );
}

/** Whether the person may change issues, and whether delete them. */
export function mayOf({ role }: Pick<ManageView, "role">) {
  return {
    mayWrite: roleAllows(role, "issue:write"),
    mayDelete: roleAllows(role, "issue:delete"),
  };
}
