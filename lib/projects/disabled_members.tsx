/** The part of the members page that is about those whom a directory has disabled. */
import type { ProvisionedMember } from "../accounts/provisioning.ts";
import { roleLabel } from "../accounts/roles.ts";
import { rich, t } from "../core/language/translate.ts";
import { Badge } from "../ui/components/badge.tsx";
import { ConfirmByName } from "../ui/components/fields.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";

/** They see nothing of the organization; only the directory enables them again. */
export function DisabledPanel({ members }: { readonly members: readonly ProvisionedMember[] }) {
  if (members.length === 0) return null;
  return (
    <Panel
      title={t("Disabled by the directory")}
      description={t(
        "They see nothing of this organization until the directory enables them again.",
      )}
      flush
    >
      <ul>
        {members.map(({ user, role, disabledAt }) => (
          <li key={user.id} class="border-b border-line px-4 py-3 last:border-b-0">
            <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
              <div class="min-w-40 flex-1">
                <p class="font-medium wrap-anywhere">{user.name}</p>
                <p class="text-sm text-muted wrap-anywhere">
                  {user.email} · {disabledAt && rich("disabled {when}", {
                    when: <RelativeTime date={disabledAt} />,
                  })}
                </p>
              </div>
              <Badge>{roleLabel(role)}</Badge>
            </div>
            <div class="mt-2">
              <ConfirmByName
                name={user.email}
                action={t("Remove")}
                size="sm"
                idPrefix={`${user.id}-`}
                fields={{ action: "remove", user: user.id }}
                consequence={t(
                  "Role and teams are forgotten. The account stays, and the directory may add it again.",
                )}
              />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
