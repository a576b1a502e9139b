import { page } from "fresh";
import { listAccounts, type ListedAccounts } from "@/lib/accounts/manage_accounts.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { requireInstanceAdmin } from "@/lib/server/require_instance_admin.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field } from "@/lib/ui/components/fields.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { Cell, Row, Table } from "@/lib/ui/components/table.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";
import type { Shell } from "@/lib/ui/shell.ts";

interface AccountsData extends ListedAccounts {
  readonly shell: Shell;
  readonly search: string;
}

/** Everybody who has an account here. */
export default define.page<typeof handler>(({ data: { shell, search, users, hasMore } }) => (
  <InstancePage shell={shell} tab="accounts">
    <form class="flex max-w-md items-end gap-2" role="search">
      <div class="flex-1">
        <Field name="q" label={t("Name or email")} type="search" value={search} />
      </div>
      <Button icon="search">{t("Search")}</Button>
    </form>
    <Panel title={t("Accounts")} flush>
      {users.length === 0
        ? <EmptyState icon="members" title={t("No account has this name or email.")} />
        : (
          <Table
            caption={t("Accounts")}
            density="comfortable"
            columns={[
              { label: t("Email") },
              { label: t("Name@@person") },
              { label: t("State") },
              { label: t("Account since"), class: "max-md:hidden" },
            ]}
          >
            {users.map((user) => (
              <Row key={user.id}>
                <Cell>
                  <a
                    class="row-link font-medium wrap-anywhere"
                    href={`/instance/accounts/${user.id}`}
                  >
                    {user.email}
                  </a>
                </Cell>
                <Cell class="wrap-anywhere">{user.name}</Cell>
                <Cell>
                  {user.disabledAt !== undefined
                    ? <Badge tone="warning" icon="ignored">{t("Disabled")}</Badge>
                    : user.isInstanceAdmin
                    ? <Badge tone="accent">{t("Administrator")}</Badge>
                    : <Badge tone="ok" icon="ok">{t("In use")}</Badge>}
                </Cell>
                <Cell class="max-md:hidden">
                  <ExactTime date={user.createdAt} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      {hasMore && (
        <p class="px-4 py-3 text-sm text-muted">
          {t("There are more: search for a name or an email.")}
        </p>
      )}
    </Panel>
  </InstancePage>
));

export const handler = define.handlers<AccountsData>({
  async GET(ctx) {
    requireInstanceAdmin(ctx.state);
    ctx.state.meta.title = t("Accounts");
    const search = (ctx.url.searchParams.get("q") ?? "").slice(0, 200);
    const listed = await listAccounts(ctx.state.services.kv, search);
    return page({ shell: await loadShell(ctx), search, ...listed });
  },
});
