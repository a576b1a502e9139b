/** The frames of what has several pages under tabs: one's own account, and the instance. */
import type { ComponentChildren } from "preact";
import { type Message, message, t } from "../core/language/translate.ts";
import { Page, PageHeader, Tabs } from "./components/page.tsx";
import type { Shell } from "./shell.ts";

interface Tab {
  readonly id: string;
  readonly path: string;
  readonly label: Message;
}

/** In the order in which they stand. */
const ACCOUNT_TABS = [
  { id: "profile", path: "/account", label: message("Profile") },
  { id: "security", path: "/account/security", label: message("Security") },
  { id: "sign-ins", path: "/account/sign-ins", label: message("Connected sign-ins") },
  { id: "sessions", path: "/account/sessions", label: message("Sessions") },
  { id: "notifications", path: "/account/notifications", label: message("Notifications") },
  { id: "language", path: "/account/language", label: message("Language and time") },
] as const satisfies readonly Tab[];

const INSTANCE_TABS = [
  { id: "state", path: "/instance", label: message("State") },
  { id: "accounts", path: "/instance/accounts", label: message("Accounts") },
  { id: "sign-in", path: "/instance/sign-in", label: message("Sign-in") },
  { id: "audit", path: "/instance/audit", label: message("Audit log") },
] as const satisfies readonly Tab[];

interface TabbedPageProps<Tabs extends readonly Tab[]> {
  readonly shell: Shell;
  readonly tab: Tabs[number]["id"];
  /** @default "narrow" */
  readonly width?: "full" | "narrow";
  readonly children: ComponentChildren;
}

/** A page of one's own account. */
export function AccountPage(props: TabbedPageProps<typeof ACCOUNT_TABS>) {
  return <TabbedPage {...props} title={t("Account")} tabs={ACCOUNT_TABS} />;
}

/** A page of who runs the instance. */
export function InstancePage(props: TabbedPageProps<typeof INSTANCE_TABS>) {
  return <TabbedPage {...props} title={t("Instance")} tabs={INSTANCE_TABS} />;
}

function TabbedPage(
  { shell, tab, width = "narrow", title, tabs, children }: TabbedPageProps<readonly Tab[]> & {
    readonly title: string;
    readonly tabs: readonly Tab[];
  },
) {
  const current = tabs.find(({ id }) => id === tab);
  return (
    <Page
      shell={shell}
      crumbs={[
        { label: title, href: tabs[0]?.path ?? "/" },
        ...current === undefined ? [] : [{ label: t(current.label) }],
      ]}
      width={width}
    >
      <PageHeader title={title} />
      <Tabs
        label={title}
        tabs={tabs.map(({ id, path, label }) => ({
          href: path,
          label: t(label),
          isCurrent: id === tab,
        }))}
      />
      <div class="mt-5 space-y-6">{children}</div>
    </Page>
  );
}
