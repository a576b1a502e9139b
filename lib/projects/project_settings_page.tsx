import type { ComponentChildren } from "preact";
import { Page } from "../ui/components/page.tsx";
import { PageHeader } from "../ui/components/page_header.tsx";
import { Tabs } from "../ui/components/tabs.tsx";
import { sectionPath } from "../ui/links.ts";
import type { Shell } from "../ui/shell.ts";
import { organizationPath } from "./organization_settings_page.tsx";

export type ProjectSettingsTab =
  | "general"
  | "keys"
  | "privacy"
  | "filters"
  | "grouping"
  | "performance"
  | "channels";

export interface ProjectSettingsPageProps {
  readonly shell: Shell;
  readonly project: { readonly id: string; readonly name: string };
  readonly tab: ProjectSettingsTab;
  readonly children: ComponentChildren;
}

/** The frame of a project's settings: heading and tabs. */
export function ProjectSettingsPage({ shell, project, tab, children }: ProjectSettingsPageProps) {
  const path = sectionPath(project.id, "settings");
  return (
    <Page
      shell={shell}
      section="settings"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: "Settings" },
      ]}
      width="narrow"
    >
      <PageHeader title="Settings" actions={<UsageLink shell={shell} projectId={project.id} />} />
      <Tabs
        label="Settings of the project"
        tabs={[
          { href: path, label: "General", isCurrent: tab === "general" },
          { href: `${path}/keys`, label: "DSN keys", isCurrent: tab === "keys" },
          { href: `${path}/privacy`, label: "Privacy", isCurrent: tab === "privacy" },
          { href: `${path}/filters`, label: "Inbound filters", isCurrent: tab === "filters" },
          { href: `${path}/grouping`, label: "Grouping", isCurrent: tab === "grouping" },
          { href: `${path}/performance`, label: "Performance", isCurrent: tab === "performance" },
          { href: `${path}/channels`, label: "Notifications", isCurrent: tab === "channels" },
        ]}
      />
      <div class="mt-5 space-y-6">{children}</div>
    </Page>
  );
}

/** What the project sends is counted with its organization's. */
function UsageLink({ shell, projectId }: { readonly shell: Shell; readonly projectId: string }) {
  const organization = shell.organizations.find(({ projects }) =>
    projects.some(({ id }) => id === projectId)
  );
  return organization && (
    <a class="link" href={`${organizationPath(organization.slug)}/usage?project=${projectId}`}>
      Usage
    </a>
  );
}
