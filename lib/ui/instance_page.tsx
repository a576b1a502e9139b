import type { ComponentChildren } from "preact";
import { message, t } from "../core/language/translate.ts";
import { Page, PageHeader, Tabs } from "./components/page.tsx";
import type { Shell } from "./shell.ts";

/** The pages of who runs the instance, in the order of their tabs. */
const TABS = [
  { id: "state", path: "/instance", label: message("State") },
  { id: "accounts", path: "/instance/accounts", label: message("Accounts") },
  { id: "sign-in", path: "/instance/sign-in", label: message("Sign-in") },
  { id: "audit", path: "/instance/audit", label: message("Audit log") },
] as const;

interface InstancePageProps {
  readonly shell: Shell;
  readonly tab: (typeof TABS)[number]["id"];
  readonly children: ComponentChildren;
}

/** The frame of the pages of the instance. */
export function InstancePage({ shell, tab, children }: InstancePageProps) {
  const current = TABS.find(({ id }) => id === tab);
  return (
    <Page
      shell={shell}
      crumbs={[
        { label: t("Instance"), href: "/instance" },
        ...current === undefined ? [] : [{ label: t(current.label) }],
      ]}
      width="narrow"
    >
      <PageHeader title={t("Instance")} />
      <Tabs
        label={t("Instance")}
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
