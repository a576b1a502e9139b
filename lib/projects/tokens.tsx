import type { ComponentChildren } from "preact";
import type { ApiToken } from "../accounts/api_tokens.ts";
import type { OrganizationToken } from "../accounts/organization_tokens.ts";
import type { Permission } from "../accounts/members.ts";
import { Badge } from "../ui/components/badge.tsx";
import { ConfirmByName, fieldId } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { RelativeTime } from "../ui/components/values.tsx";

interface TokenRowProps {
  readonly token: ApiToken & { readonly owner: string };
  /** What was wrong with the confirmation of its deletion. */
  readonly error?: string | undefined;
}

/** One API token: whose, for what, when it was used. */
export function TokenRow({ token, error }: TokenRowProps) {
  return (
    <TokenItem
      token={token}
      error={error}
      action="delete"
      title={token.name}
      madeBy={
        <>
          Acts for {token.owner} · created <RelativeTime date={token.createdAt} />
        </>
      }
      consequence="Programs that use it are refused from the next request on, for good."
    >
      <p class="mt-1 flex flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope} title={PERMISSION_LABELS[scope]}>{scope}</Badge>
        ))}
      </p>
    </TokenItem>
  );
}

interface OrganizationTokenRowProps {
  readonly token: OrganizationToken;
  /** What was wrong with the confirmation of its deletion. */
  readonly error?: string | undefined;
}

/** One token of the organization: what its end is, who made it, when it was used. */
export function OrganizationTokenRow({ token, error }: OrganizationTokenRowProps) {
  return (
    <TokenItem
      token={token}
      error={error}
      action="delete-ci"
      title={
        <>
          {token.name} <code class="text-meta text-muted">sntrys_…{token.lastCharacters}</code>
        </>
      }
      madeBy={
        <>
          Created by {token.createdBy} <RelativeTime date={token.createdAt} />
        </>
      }
      consequence="Builds that use it are refused from the next request on, for good."
    />
  );
}

interface TokenItemProps {
  readonly token: Pick<ApiToken, "id" | "name" | "lastUsedAt">;
  readonly error: string | undefined;
  /** Of the form that deletes it. */
  readonly action: string;
  readonly title: ComponentChildren;
  readonly madeBy: ComponentChildren;
  readonly consequence: string;
  readonly children?: ComponentChildren;
}

function TokenItem(props: TokenItemProps) {
  const { token, error, action, title, madeBy, consequence, children } = props;
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <p class="font-medium wrap-anywhere">{title}</p>
      <p class="text-sm text-muted">
        {madeBy} · {token.lastUsedAt
          ? (
            <>
              used <RelativeTime date={token.lastUsedAt} />
            </>
          )
          : "never used"}
      </p>
      {children}
      <div class="mt-2">
        <ConfirmByName
          name={token.name}
          action="Delete token"
          size="sm"
          idPrefix={`${token.id}-`}
          fields={{ action, token: token.id }}
          error={error}
          consequence={consequence}
        />
      </div>
    </li>
  );
}

interface ScopeChoiceProps {
  readonly idPrefix: string;
  /** Those that may be chosen. */
  readonly scopes: readonly Permission[];
  readonly chosen: readonly string[];
  readonly error?: string | undefined;
}

/** The scopes of an API token as checkboxes. */
export function ScopeChoice({ idPrefix, scopes, chosen, error }: ScopeChoiceProps) {
  return (
    <fieldset id={fieldId("scopes", idPrefix)} tabindex={-1} class="outline-none">
      <legend class="mb-1 font-medium">Scopes</legend>
      <div class="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {scopes.map((scope) => (
          <label key={scope} class="flex items-start gap-2">
            <input
              type="checkbox"
              name="scopes"
              value={scope}
              checked={chosen.includes(scope)}
              class="mt-1 size-4 shrink-0 accent-accent-fill"
            />
            <span class="min-w-0">
              {PERMISSION_LABELS[scope]}
              <code class="block text-meta text-muted">{scope}</code>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p class="mt-1 flex items-center gap-1 text-sm text-danger">
          <Icon name="error" size={14} />
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** What a scope of an API token lets it do. */
const PERMISSION_LABELS: Readonly<Record<Permission, string>> = {
  "organization:read": "See the organization and its members",
  "organization:write": "Change the organization",
  "organization:admin": "Delete the organization, hand it over",
  "sso:write": "Change single sign-on",
  "audit:read": "Read the audit log",
  "people:data": "Export and delete the data of end users",
  "token:admin": "Manage tokens of the organization and its members",
  "member:write": "Add, change and remove members",
  "team:write": "Make, change and delete teams",
  "token:write": "Create and delete API tokens",
  "project:read": "Read projects, issues and events",
  "project:create": "Create projects",
  "project:write": "Change projects",
  "project:delete": "Delete projects",
  "issue:write": "Resolve and ignore issues",
  "issue:delete": "Delete issues, and discard what they send",
  "dashboard:write": "Make and change dashboards",
  "alert:write": "Make, change and mute alerts",
  "key:read": "See DSNs",
  "key:write": "Create, disable and delete keys",
  "release:read": "Read releases, deploys and uploaded files",
  "release:write": "Make releases and deploys, upload source maps",
};
