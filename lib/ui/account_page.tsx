import type { ComponentChildren } from "preact";
import { message, t } from "../core/language/translate.ts";
import { Page, PageHeader, Tabs } from "./components/page.tsx";
import type { Shell } from "./shell.ts";

/** The pages of one's own account, in the order of their tabs. */
const TABS = [
  { id: "profile", path: "/account", label: message("Profile") },
  { id: "security", path: "/account/security", label: message("Security") },
  { id: "sign-ins", path: "/account/sign-ins", label: message("Connected sign-ins") },
  { id: "sessions", path: "/account/sessions", label: message("Sessions") },
  { id: "notifications", path: "/account/notifications", label: message("Notifications") },
  { id: "language", path: "/account/language", label: message("Language and time") },
] as const;

interface AccountPageProps {
  readonly shell: Shell;
  readonly tab: (typeof TABS)[number]["id"];
  readonly children: ComponentChildren;
}

/** The frame of the pages of one's own account. */
export function AccountPage({ shell, tab, children }: AccountPageProps) {
  const current = TABS.find(({ id }) => id === tab);
  return (
    <Page
      shell={shell}
      crumbs={[
        { label: t("Account"), href: "/account" },
        ...current === undefined ? [] : [{ label: t(current.label) }],
      ]}
      width="narrow"
    >
      <PageHeader title={t("Account")} />
      <Tabs
        label={t("Account")}
        tabs={TABS.map(({ id, path, label }) => ({
          href: path,
          label: t(label),
          isCurrent: id === tab,
        }))}
      />
      <div class="mt-5 space-y-6">{children}</div>
    </Page>
  );
}
