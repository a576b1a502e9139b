import { requireOrganization, requireUser } from "@/lib/accounts/authorize.ts";
import {
  JOIN_ROLES,
  type JoinPolicy,
  joinPolicyOf,
  setJoinPolicy,
} from "@/lib/accounts/join_policy.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import {
  disableScim,
  enableScim,
  findScim,
  SCIM_ROLES,
  type ScimSetup,
} from "@/lib/accounts/scim_token.ts";
import { rich, t } from "@/lib/core/language/translate.ts";
import { roleOptions } from "@/lib/projects/members.tsx";
import {
  organizationPath,
  OrganizationSettingsPage,
  ReadOnlyNote,
} from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Button, CopyField } from "@/lib/ui/components/button.tsx";
import {
  Checkbox,
  checkConfirmation,
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "@/lib/ui/components/fields.tsx";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { RelativeTime } from "@/lib/ui/components/values.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface JoiningData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  readonly values: Omit<JoinPolicy, "domains"> & { readonly domains: string };
  readonly errors: FormErrors;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  /** Absent for those who do not decide about it. */
  readonly scim: { readonly setup: ScimSetup | null } | null;
  readonly scimErrors: FormErrors;
  /** The token just made; shown this once. */
  readonly created: string | null;
}

/** How people get in beside invitations: by asking, by their domain, and by a directory. */
export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite, mayHaveTokens, scim } = data;
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="joining"
      mayHaveTokens={mayHaveTokens}
    >
      {data.created !== null && (
        <Alert kind="ok" title={t("The token is created")} isLive>
          <p class="mb-2">{t("Copy it now: it is not kept and cannot be shown again.")}</p>
          <CopyField id="new-token" value={data.created} what={t("token")} />
        </Alert>
      )}
      {!mayWrite && <ReadOnlyNote />}
      <PolicyPanel {...data} />
      {scim !== null && <ScimPanel {...data} setup={scim.setup} />}
    </OrganizationSettingsPage>
  );
});

function PolicyPanel({ organization, mayWrite, values, errors, baseUrl }: JoiningData) {
  const isOpen = values.allowsRequests || values.domains !== "";
  return (
    <Panel
      title={t("Joining without an invitation")}
      description={t("For people who have an account on this Watchpost.")}
    >
      <form method="post" class="max-w-lg space-y-4">
        <FormSummary errors={errors} />
        <Checkbox
          name="allowsRequests"
          label={t("People may ask to join")}
          help={t(
            "Their requests stand on the members page, where admins, managers and owners decide.",
          )}
          isChecked={values.allowsRequests}
          isDisabled={!mayWrite}
        />
        <Field
          name="domains"
          label={t("Domains whose people join by themselves")}
          value={values.domains}
          error={errors.domains}
          help={t(
            "What follows the @, one a line, such as example.com. Only confirmed addresses count.",
          )}
          autocomplete="off"
          rows={3}
          isOptional
          mono
        />
        <Select
          name="domainRole"
          label={t("Role of who joins so")}
          value={values.domainRole}
          options={roleOptions(JOIN_ROLES)}
        />
        {mayWrite && <Button name="action" value="policy" kind="primary">{t("Save")}</Button>}
      </form>
      {isOpen && (
        <div class="mt-4 max-w-lg">
          <p class="mb-1 font-medium">{t("The page where they do it")}</p>
          <CopyField
            id="join-page"
            value={`${baseUrl}/join/${organization.slug}`}
            what={t("address of the page")}
          />
        </div>
      )}
    </Panel>
  );
}

function ScimPanel(
  { organization, baseUrl, setup, scimErrors }: JoiningData & { readonly setup: ScimSetup | null },
) {
  const { [CONFIRM_FIELD]: confirmError, ...errors } = scimErrors;
  return (
    <Panel
      title={t("Provisioning by a directory (SCIM)")}
      description={t(
        "Entra, Okta and others make, change, disable and remove members and teams. Who is disabled there is no member here from the next request on.",
      )}
    >
      <div class="max-w-lg space-y-4">
        <div>
          <p class="mb-1 font-medium">{t("Address for the directory")}</p>
          <CopyField
            id="scim-address"
            value={`${baseUrl}/api/0/organizations/${organization.slug}/scim/v2`}
            what={t("address for the directory")}
          />
        </div>
        <p class="text-muted wrap-anywhere">
          {setup === null
            ? t("No directory provisions this organization.")
            : rich("Token {ends}, made by {name} {when}.", {
              ends: <code>wpscim_…{setup.lastCharacters}</code>,
              name: setup.createdBy,
              when: <RelativeTime date={setup.createdAt} />,
            })} {setup !== null && (setup.lastUsedAt === null
              ? t("It was never used.")
              : rich("It was used {when} from {address}.", {
                when: <RelativeTime date={setup.lastUsedAt} />,
                address: <code>{setup.lastAddress ?? "?"}</code>,
              }))}
        </p>
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <Select
            name="role"
            idPrefix="scim-"
            label={t("Role of people whose role the directory does not tell")}
            value={setup?.role ?? "member"}
            options={roleOptions(SCIM_ROLES)}
          />
          <Button name="action" value="scim">
            {setup === null ? t("Create token") : t("Replace the token")}
          </Button>
        </form>
        {setup !== null && (
          <ConfirmByName
            name={organization.slug}
            action={t("End provisioning")}
            size="sm"
            idPrefix="scim-"
            fields={{ action: "scim-end" }}
            error={confirmError}
            consequence={t("The token is refused at once. Members and teams stay as they are.")}
          />
        )}
      </div>
    </Panel>
  );
}

export const handler = formHandlers<JoiningData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  ctx.state.meta.title = `${t("Joining")} · ${organization.name}`;
  const { kv, config } = ctx.state.services;
  const mayProvision = roleAllows(role, "sso:write");
  const [shell, policy, setup] = await Promise.all([
    loadShell(ctx),
    joinPolicyOf(kv, organization.id),
    mayProvision ? findScim(kv, organization.id) : null,
  ]);
  return {
    shell,
    organization,
    mayWrite: roleAllows(role, "organization:write"),
    mayHaveTokens: roleAllows(role, "token:write"),
    values: { ...policy, domains: policy.domains.join("\n") },
    errors: {},
    baseUrl: config.baseUrl,
    scim: mayProvision ? { setup } : null,
    scimErrors: {},
    created: null,
  };
}, async (ctx) => {
  const form = await readForm(ctx.req);
  switch (form.get("action")) {
    case "scim":
      return await provision(ctx, form);
    case "scim-end":
      return await endProvisioning(ctx, form);
    default:
      return await savePolicy(ctx, form);
  }
});

async function savePolicy(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "organization:write");
  const values = {
    allowsRequests: form.get("allowsRequests") === "on",
    domains: form.get("domains") ?? "",
    domainRole: JOIN_ROLES.find((role) => role === form.get("domainRole")) ?? "viewer",
  };
  const result = await attempt(() => setJoinPolicy(ctx.state.services.kv, organization.id, values));
  return result.ok
    ? redirectWithFlash(pathOf(organization), t("Saved."))
    : { changes: { values, errors: result.errors } };
}

async function provision(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "sso:write");
  requireRecent(ctx);
  const { token } = await enableScim(ctx.state.services.kv, organization.id, {
    role: SCIM_ROLES.find((role) => role === fieldOf(form, "role")) ?? "member",
    createdBy: requireUser(ctx.state).name,
  });
  return {
    changes: { created: token },
    status: 201,
    headers: { "cache-control": "no-store" },
  };
}

async function endProvisioning(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "sso:write");
  const problem = checkConfirmation(form, organization.slug);
  if (problem !== null) return { changes: { scimErrors: { [CONFIRM_FIELD]: problem } } };
  await disableScim(ctx.state.services.kv, organization.id);
  return redirectWithFlash(pathOf(organization), t("The directory provisions nobody any more."));
}

function pathOf({ slug }: Organization): string {
  return `${organizationPath(slug)}/joining`;
}
