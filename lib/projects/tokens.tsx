import type { ComponentChildren } from "preact";
import type { ApiToken } from "../accounts/api_tokens.ts";
import type { TokenLimits } from "../accounts/token_limits.ts";
import { type Message, message, rich, t } from "../core/language/translate.ts";
import type { OrganizationToken } from "../accounts/organization_tokens.ts";
import type { Permission } from "../accounts/members.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import {
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  fieldId,
  type FormErrors,
  FormSummary,
  HiddenFields,
  Select,
} from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { fieldOf } from "../ui/form.ts";

interface TokenRowProps {
  readonly token: ApiToken & { readonly owner: string };
  /** What was wrong with the form that was sent for it. */
  readonly errors: FormErrors;
}

/** One API token: whose, for what, when it was used. */
export function TokenRow({ token, errors }: TokenRowProps) {
  return (
    <TokenItem
      token={token}
      errors={errors}
      action="delete"
      rotation="rotate"
      title={
        <>
          {token.name}{" "}
          {token.lastCharacters && (
            <code class="text-meta text-muted">wpt_…{token.lastCharacters}</code>
          )}
        </>
      }
      madeBy={rich("Acts for {owner} · created {when}", {
        owner: token.owner,
        when: <RelativeTime date={token.createdAt} />,
      })}
      consequence={t("Programs that use it are refused from the next request on, for good.")}
    >
      <p class="mt-1 flex flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope} title={t(PERMISSION_LABELS[scope])}>{scope}</Badge>
        ))}
      </p>
    </TokenItem>
  );
}

interface OrganizationTokenRowProps {
  readonly token: OrganizationToken;
  /** What was wrong with the form that was sent for it. */
  readonly errors: FormErrors;
}

/** One token of the organization: what its end is, who made it, when it was used. */
export function OrganizationTokenRow({ token, errors }: OrganizationTokenRowProps) {
  return (
    <TokenItem
      token={token}
      errors={errors}
      action="delete-ci"
      rotation="rotate-ci"
      title={
        <>
          {token.name} <code class="text-meta text-muted">sntrys_…{token.lastCharacters}</code>
        </>
      }
      madeBy={rich("Created by {name} {when}", {
        name: token.createdBy,
        when: <RelativeTime date={token.createdAt} />,
      })}
      consequence={t("Builds that use it are refused from the next request on, for good.")}
    />
  );
}

interface TokenItemProps {
  readonly token: TokenLimits & Pick<ApiToken, "id" | "name" | "lastUsedAt">;
  readonly errors: FormErrors;
  /** Of the form that deletes it. */
  readonly action: string;
  /** Of the form that gives it a new secret. */
  readonly rotation: string;
  readonly title: ComponentChildren;
  readonly madeBy: ComponentChildren;
  readonly consequence: string;
  readonly children?: ComponentChildren;
}

function TokenItem(props: TokenItemProps) {
  const { token, errors, action, rotation, title, madeBy, consequence, children } = props;
  const { [CONFIRM_FIELD]: confirmError, ...rotationErrors } = errors;
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <p class="font-medium wrap-anywhere">{title}</p>
      <p class="text-sm text-muted wrap-anywhere">{madeBy} · {useOf(token)}</p>
      <TokenEnds token={token} />
      {children}
      {Object.keys(rotationErrors).length > 0 && (
        <div class="mt-2">
          <FormSummary errors={rotationErrors} idPrefix={`${token.id}-`} />
        </div>
      )}
      <div class="mt-2 flex flex-wrap items-start gap-2">
        <details class="open:basis-full">
          <summary class="inline-flex h-7 items-center rounded-md border border-line px-2 text-sm font-medium text-muted hover:bg-hover hover:text-ink">
            {t("Rotate")}…
          </summary>
          <form method="post" class="mt-3 max-w-md space-y-3">
            <HiddenFields pairs={[["token", token.id]]} />
            <p>{t("You get a new token that may do the same and holds for a year.")}</p>
            <Select
              name="overlapDays"
              idPrefix={`${token.id}-`}
              label={t("The old token still holds for")}
              value="1"
              options={OVERLAPS.map(({ days, label }) => ({
                value: String(days),
                label: t(label),
              }))}
            />
            <Button name="action" value={rotation}>{t("Rotate token")}</Button>
          </form>
        </details>
        <ConfirmByName
          name={token.name}
          action={t("Delete token")}
          size="sm"
          idPrefix={`${token.id}-`}
          fields={{ action, token: token.id }}
          error={confirmError}
          consequence={consequence}
        />
      </div>
    </li>
  );
}

const OVERLAPS = [
  { days: 0, label: message("not at all") },
  { days: 1, label: message("one day") },
  { days: 7, label: message("seven days") },
] as const;

function useOf({ lastUsedAt, lastAddress }: TokenItemProps["token"]): ComponentChildren {
  if (lastUsedAt === null) return t("never used");
  const when = <RelativeTime date={lastUsedAt} />;
  return lastAddress
    ? rich("used {when} from {address}", { when, address: <code>{lastAddress}</code> })
    : rich("used {when}", { when });
}

/** Until when it holds, and from where. */
function TokenEnds({ token: { expiresAt, networks, formerUntil } }: Pick<TokenItemProps, "token">) {
  const now = Date.now();
  const isExpired = expiresAt ? expiresAt.getTime() <= now : false;
  return (
    <p class="text-sm text-muted wrap-anywhere">
      {isExpired && <Badge tone="danger" icon="error">{t("expired")}</Badge>}
      {isExpired && " "}
      {!expiresAt ? t("Never expires") : rich(isExpired ? "Expired {when}" : "Expires {when}", {
        when: <ExactTime date={expiresAt} />,
      })}
      {networks && networks.length > 0 && (
        <>{" · "}{t("only from {networks}", { networks: networks.join(", ") })}</>
      )}
      {formerUntil && formerUntil.getTime() > now && (
        <>
          {" · "}
          {rich("the one before holds until {when}", { when: <ExactTime date={formerUntil} /> })}
        </>
      )}
    </p>
  );
}

interface TokenLimitFieldsProps {
  readonly idPrefix: string;
  readonly values: { readonly expiresInDays: string; readonly networks: string };
  readonly errors: FormErrors;
  /** Owners alone make tokens that never expire. */
  readonly mayLastForever: boolean;
}

/** Until when a new token holds, and from where. */
export function TokenLimitFields(props: TokenLimitFieldsProps) {
  const { idPrefix, values, errors, mayLastForever } = props;
  return (
    <>
      <Select
        name="expiresInDays"
        idPrefix={idPrefix}
        label={t("Expires")}
        value={values.expiresInDays}
        error={errors.expiresInDays}
        options={EXPIRIES.filter(({ value }) => mayLastForever || value !== NEVER)
          .map(({ value, label }) => ({ value, label: t(label) }))}
      />
      <Field
        name="networks"
        idPrefix={idPrefix}
        label={t("Allowed networks")}
        value={values.networks}
        error={errors.networks}
        help={t(
          "Addresses and networks that may use it, such as 192.0.2.7 or 10.0.0.0/8; empty: all.",
        )}
        autocomplete="off"
        isOptional
        mono
      />
    </>
  );
}

const NEVER = "never";
const EXPIRIES = [
  { value: "7", label: message("in seven days") },
  { value: "30", label: message("in 30 days") },
  { value: "90", label: message("in 90 days") },
  { value: "365", label: message("in a year") },
  { value: NEVER, label: message("never") },
] as const;

/** What the fields are before anybody chose. */
export const NEW_LIMITS = { expiresInDays: "365", networks: "" };

/** What somebody entered in these fields, to be shown again. */
export function limitValues(form: URLSearchParams): typeof NEW_LIMITS {
  return {
    expiresInDays: fieldOf(form, "expiresInDays") || NEW_LIMITS.expiresInDays,
    networks: fieldOf(form, "networks"),
  };
}

/** What the fields ask for. */
export function limitsIn(form: URLSearchParams) {
  const { expiresInDays, networks } = limitValues(form);
  return {
    expiresInDays: expiresInDays === NEVER ? null : Number(expiresInDays),
    networks: [networks],
  };
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
      <legend class="mb-1 font-medium">{t("Scopes")}</legend>
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
              {t(PERMISSION_LABELS[scope])}
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
const PERMISSION_LABELS: Readonly<Record<Permission, Message>> = {
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
