import type { ComponentChildren } from "preact";
import type { Project } from "../accounts/projects.ts";
import { Button, LinkButton } from "../ui/components/button.tsx";
import { type FormErrors, FormSummary } from "../ui/components/fields.tsx";
import { type Crumb, Page, PageHeader, PageList, type Tab } from "../ui/components/page.tsx";
import type { IconName } from "../ui/components/icon.tsx";
import { Alert, EmptyState, Panel } from "../ui/components/panel.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { sectionPath } from "../ui/links.ts";
import type { Shell } from "../ui/shell.ts";
import { rich, t } from "../core/language/translate.ts";
import type { DeletedProjectState } from "./deletion.ts";

export type ProjectSettingsTab =
  | "general"
  | "keys"
  | "privacy"
  | "retention"
  | "filters"
  | "grouping"
  | "performance"
  | "source-maps"
  | "channels"
  | "trackers"
  | "code"
  | "ownership"
  | "export";

interface ProjectSettingsPageProps {
  readonly shell: Shell;
  readonly project: { readonly id: string; readonly name: string };
  readonly tab: ProjectSettingsTab;
  readonly children: ComponentChildren;
}

/** The frame of a project's settings: heading and the list of its pages. */
export function ProjectSettingsPage({ shell, project, tab, children }: ProjectSettingsPageProps) {
  const path = sectionPath(project.id, "settings");
  const tabs = projectTabs(path, tab, shell);
  return (
    <Page
      shell={shell}
      section="settings"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Settings"), href: path },
        ...currentCrumb(tabs),
      ]}
      width="listed"
    >
      <PageHeader
        title={t("Settings")}
        actions={<UsageLink shell={shell} projectId={project.id} />}
      />
      <PageList label={t("Settings of the project")} tabs={tabs}>
        {children}
      </PageList>
    </Page>
  );
}

function projectTabs(path: string, tab: ProjectSettingsTab, shell: Shell): Tab[] {
  const keys = { href: `${path}/keys`, label: t("DSN keys"), isCurrent: tab === "keys" };
  const exports = {
    href: `${path}/export`,
    label: t("Export and import"),
    isCurrent: tab === "export",
  };
  return [
    { href: path, label: t("General"), isCurrent: tab === "general" },
    ...(shell.permissions?.includes("key:read") ? [keys] : []),
    { href: `${path}/privacy`, label: t("Privacy"), isCurrent: tab === "privacy" },
    { href: `${path}/retention`, label: t("Retention"), isCurrent: tab === "retention" },
    { href: `${path}/filters`, label: t("Inbound filters"), isCurrent: tab === "filters" },
    { href: `${path}/grouping`, label: t("Grouping"), isCurrent: tab === "grouping" },
    {
      href: `${path}/performance`,
      label: t("Performance"),
      isCurrent: tab === "performance",
    },
    {
      href: `${path}/source-maps`,
      label: t("Source maps"),
      isCurrent: tab === "source-maps",
    },
    { href: `${path}/channels`, label: t("Notifications"), isCurrent: tab === "channels" },
    { href: `${path}/trackers`, label: t("Issue trackers"), isCurrent: tab === "trackers" },
    { href: `${path}/code`, label: t("Code"), isCurrent: tab === "code" },
    { href: `${path}/ownership`, label: t("Ownership"), isCurrent: tab === "ownership" },
    ...(shell.permissions?.includes("people:data") ? [exports] : []),
  ];
}

/** The tab that one is at, as the last crumb. */
function currentCrumb(tabs: readonly Tab[]): Crumb[] {
  const current = tabs.find(({ isCurrent }) => isCurrent);
  return current === undefined ? [] : [{ label: String(current.label) }];
}

/** What a page of settings that is one form shows. */
export interface SettingsFormData<Values> {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  /** What was sent when it was refused, else what holds. */
  readonly values: Values;
  readonly errors: FormErrors;
}

interface SettingsFormPageProps extends SettingsFormData<unknown> {
  readonly tab: ProjectSettingsTab;
  /** Below the form: what has forms of its own. */
  readonly below?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Such a page: its errors above, its panels, and the button to save. */
export function SettingsFormPage(props: SettingsFormPageProps) {
  const { shell, project, tab, mayWrite, errors, below, children } = props;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab={tab}>
      {!mayWrite && <ReadOnlyNote />}
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        {children}
        {mayWrite && <Button kind="primary">{t("Save")}</Button>}
      </form>
      {below && <div class="mt-6">{below}</div>}
    </ProjectSettingsPage>
  );
}

interface SettingsListPageProps {
  readonly shell: Shell;
  readonly project: Project;
  readonly tab: ProjectSettingsTab;
  readonly mayWrite: boolean;
  readonly title: string;
  readonly description: string;
  /** Where one more is made. */
  readonly add: { readonly href: string; readonly label: string };
  /** What stands there instead of the list while it has no rows. */
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string } | null;
  /** The list. */
  readonly children: ComponentChildren;
  /** What else is set there. */
  readonly below?: ComponentChildren;
}

/** A page of settings that is one list, of what has pages of its own. */
export function SettingsListPage(props: SettingsListPageProps) {
  const { shell, project, tab, mayWrite, title, description, empty, children } = props;
  const add = mayWrite && (
    <LinkButton href={props.add.href} kind="primary" icon="plus">{props.add.label}</LinkButton>
  );
  return (
    <ProjectSettingsPage shell={shell} project={project} tab={tab}>
      {!mayWrite && <ReadOnlyNote />}
      <Panel title={title} id={tab} description={description} actions={!empty && add} flush>
        {empty
          ? (
            <EmptyState icon={empty.icon} title={empty.title} actions={add}>
              {empty.text}
            </EmptyState>
          )
          : children}
      </Panel>
      {props.below}
    </ProjectSettingsPage>
  );
}

/** What the project sends is counted with its organization's. */
function UsageLink({ shell, projectId }: { readonly shell: Shell; readonly projectId: string }) {
  const organization = shell.organizations.find(({ projects }) =>
    projects.some(({ id }) => id === projectId)
  );
  return organization && (
    <a class="link" href={`${organizationPath(organization.slug)}/usage?project=${projectId}`}>
      {t("Usage")}
    </a>
  );
}

type OrganizationSettingsTab =
  | "members"
  | "joining"
  | "teams"
  | "tokens"
  | "usage"
  | "status-page"
  | "audit"
  | "end-users"
  | "data"
  | "security"
  | "general";

interface OrganizationSettingsPageProps {
  readonly shell: Shell;
  readonly organization: { readonly slug: string; readonly name: string };
  readonly tab: OrganizationSettingsTab;
  /** Viewers have no tokens. */
  readonly mayHaveTokens: boolean;
  readonly children: ComponentChildren;
}

/** Path of an organization's settings. */
export function organizationPath(slug: string): string {
  return `/organizations/${encodeURIComponent(slug)}/settings`;
}

/** The frame of an organization's settings: heading and the list of its pages. */
export function OrganizationSettingsPage(props: OrganizationSettingsPageProps) {
  const { shell, organization, tab, mayHaveTokens, children } = props;
  const path = organizationPath(organization.slug);
  const tabs = organizationTabs(path, tab, shell, mayHaveTokens);
  return (
    <Page
      shell={shell}
      crumbs={[
        { label: organization.name, href: path },
        { label: t("Settings"), href: path },
        ...currentCrumb(tabs),
      ]}
      width={tab === "usage" || tab === "audit" ? "full" : "listed"}
    >
      <PageHeader title={organization.name} />
      <PageList label={t("Settings of the organization")} tabs={tabs}>
        {children}
      </PageList>
    </Page>
  );
}

function organizationTabs(
  path: string,
  tab: OrganizationSettingsTab,
  shell: Shell,
  mayHaveTokens: boolean,
): Tab[] {
  const tokens = { href: `${path}/tokens`, label: t("API tokens"), isCurrent: tab === "tokens" };
  const endUsers = {
    href: `${path}/end-users`,
    label: t("End-user data"),
    isCurrent: tab === "end-users",
  };
  const audit = { href: `${path}/audit`, label: t("Audit log"), isCurrent: tab === "audit" };
  const may = (permission: string) => shell.permissions?.includes(permission) ?? false;
  return [
    { href: path, label: t("Members"), isCurrent: tab === "members" },
    { href: `${path}/joining`, label: t("Joining"), isCurrent: tab === "joining" },
    { href: `${path}/teams`, label: t("Teams"), isCurrent: tab === "teams" },
    ...(mayHaveTokens ? [tokens] : []),
    { href: `${path}/usage`, label: t("Usage & rate limits"), isCurrent: tab === "usage" },
    {
      href: `${path}/status-page`,
      label: t("Status page"),
      isCurrent: tab === "status-page",
    },
    { href: `${path}/data`, label: t("Data and privacy"), isCurrent: tab === "data" },
    ...(may("people:data") ? [endUsers] : []),
    ...(may("audit:read") ? [audit] : []),
    { href: `${path}/security`, label: t("Security"), isCurrent: tab === "security" },
    { href: `${path}/general`, label: t("General"), isCurrent: tab === "general" },
  ];
}

/** Over a form that the viewer's role may read but not send. */
export function ReadOnlyNote() {
  return (
    <Alert kind="info">
      {t(
        "You can look at these settings, not change them. Owners and administrators of the organization can.",
      )}
    </Alert>
  );
}

/** One deleted project: who deleted it, until when it can be restored, or how far its purge is. */
export function DeletedProjectRow({ deleted }: { readonly deleted: DeletedProjectState }) {
  const { project, deletedAt, deletedBy, purgeAt, purgedRows } = deleted;
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-0 grow">
        <p class="font-medium wrap-anywhere">
          {project.name}{" "}
          <span class="text-muted">
            {`· ${t("{slug} · id {id}", { slug: project.slug, id: project.id })}`}
          </span>
        </p>
        <p class="text-sm text-muted wrap-anywhere">
          {rich("Deleted {ago} by {who}", {
            ago: <RelativeTime date={deletedAt} />,
            who: deletedBy,
          })} · {purgedRows === null
            ? rich("can be restored until {time}", { time: <ExactTime date={purgeAt} /> })
            : t(
              "being deleted for good: {n} row or file so far|being deleted for good: {n} rows and files so far",
              {
                n: purgedRows,
              },
            )}
        </p>
      </div>
      {purgedRows === null && (
        <form method="post">
          <input type="hidden" name="action" value="restore" />
          <input type="hidden" name="project" value={project.id} />
          <Button size="sm">{t("Restore")}</Button>
        </form>
      )}
    </li>
  );
}
