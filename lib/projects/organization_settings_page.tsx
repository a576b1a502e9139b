import type { ComponentChildren } from "preact";
import { Page } from "../ui/components/page.tsx";
import { PageHeader } from "../ui/components/page_header.tsx";
import { Tabs } from "../ui/components/tabs.tsx";
import type { Shell } from "../ui/shell.ts";

export type OrganizationSettingsTab = "members" | "tokens" | "usage" | "general";

export interface OrganizationSettingsPageProps {
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

/** The frame of an organization's settings: heading and tabs. */
export function OrganizationSettingsPage(props: OrganizationSettingsPageProps) {
  const { shell, organization, tab, mayHaveTokens, children } = props;
  const path = organizationPath(organization.slug);
  const tokens = { href: `${path}/tokens`, label: "API tokens", isCurrent: tab === "tokens" };
  return (
    <Page
      shell={shell}
      crumbs={[{ label: organization.name, href: path }, { label: "Settings" }]}
      width={tab === "usage" ? "full" : "narrow"}
    >
      <PageHeader title={organization.name} />
      <Tabs
        label="Settings of the organization"
        tabs={[
          { href: path, label: "Members", isCurrent: tab === "members" },
          ...(mayHaveTokens ? [tokens] : []),
          { href: `${path}/usage`, label: "Usage & rate limits", isCurrent: tab === "usage" },
          { href: `${path}/general`, label: "General", isCurrent: tab === "general" },
        ]}
      />
      <div class="mt-5 space-y-6">{children}</div>
    </Page>
  );
}
