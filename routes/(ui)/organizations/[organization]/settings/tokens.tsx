import { HttpError } from "fresh";
import {
  type ApiToken,
  createApiToken,
  deleteApiToken,
  listApiTokens,
  rotateApiToken,
} from "@/lib/accounts/api_tokens.ts";
import {
  type OrganizationAccess,
  requireOrganization,
  requireUser,
} from "@/lib/accounts/authorize.ts";
import {
  createOrganizationToken,
  deleteOrganizationToken,
  listOrganizationTokens,
  type OrganizationToken,
  rotateOrganizationToken,
} from "@/lib/accounts/organization_tokens.ts";
import { permissionsOfSentryScopes } from "@/lib/accounts/scopes.ts";
import { listMembers, type Permission, roleAllows, SCOPES } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { t } from "@/lib/core/language/translate.ts";
import { DOCS_PATH } from "@/lib/api/docs/nouns.ts";
import { Alert, EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { Button, CopyField } from "@/lib/ui/components/button.tsx";
import {
  checkConfirmation,
  CONFIRM_FIELD,
  Field,
  type FormErrors,
  FormSummary,
} from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import {
  limitsIn,
  limitValues,
  NEW_LIMITS,
  OrganizationTokenRow,
  ScopeChoice,
  TokenLimitFields,
  TokenRow,
} from "@/lib/projects/tokens.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";

interface TokenOfPerson extends ApiToken {
  /** Name of the person for whom it acts. */
  readonly owner: string;
}

interface TokensData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly tokens: readonly TokenOfPerson[];
  /** Null for those who do not decide who has access: such a token outlives its maker's membership. */
  readonly organizationTokens: readonly OrganizationToken[] | null;
  /** The scopes that the person's role allows. */
  readonly scopes: readonly Permission[];
  /** The token just made; shown this once. */
  readonly created: string | null;
  readonly values: {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly sentryScopes: string;
    readonly expiresInDays: string;
    readonly networks: string;
  };
  /** Owners alone make tokens that never expire. */
  readonly mayLastForever: boolean;
  /** A refused form: of which token (`""` for a new one, `ci` for a new one of the organization) and why. */
  readonly refused: { readonly token: string; readonly errors: FormErrors } | null;
}

const NEW_TOKEN = {
  name: "",
  scopes: ["organization:read", "project:read"],
  sentryScopes: "",
  ...NEW_LIMITS,
};
const NEW_CI = "ci";

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, tokens, scopes, created, values, refused } = data;
  const errorsOf = (token: string) => refused?.token === token ? refused.errors : {};
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="tokens"
      mayHaveTokens
    >
      {created && (
        <Alert kind="ok" title={t("The token is created")} isLive>
          <p class="mb-2">{t("Copy it now: it is not kept and cannot be shown again.")}</p>
          <CopyField id="new-token" value={created} what={t("API token")} />
        </Alert>
      )}
      <Panel
        title={t("API tokens")}
        description={t(
          "A token lets a program act for you under /api/0, as far as its scopes and your role go.",
        )}
        actions={
          <a href={DOCS_PATH} class="text-sm text-accent hover:underline">
            {t("What the API can do")}
          </a>
        }
        flush
      >
        {tokens.length === 0
          ? (
            <EmptyState icon="key" title={t("No tokens")}>
              {t("Create one for each program.")}
            </EmptyState>
          )
          : (
            <ul>
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} errors={errorsOf(token.id)} />
              ))}
            </ul>
          )}
      </Panel>
      <Panel title={t("New token")}>
        <form method="post" class="max-w-2xl space-y-4">
          <FormSummary errors={errorsOf("")} idPrefix="new-" />
          <Field
            name="name"
            idPrefix="new-"
            label={t("Name")}
            value={values.name}
            error={errorsOf("").name}
            help={t("What it is for, such as release script.")}
            maxLength={64}
            autocomplete="off"
            required
          />
          <ScopeChoice
            idPrefix="new-"
            scopes={scopes}
            chosen={values.scopes}
            error={errorsOf("").scopes}
          />
          <Field
            name="sentryScopes"
            idPrefix="new-"
            label={t("Scopes that a tool asks for, in Sentry's names")}
            value={values.sentryScopes}
            error={errorsOf("").sentryScopes}
            help={t(
              "Added to those above: org:read, project:read, event:write, project:releases and so on, with blanks between them.",
            )}
            autocomplete="off"
          />
          <TokenLimitFields
            idPrefix="new-"
            values={values}
            errors={errorsOf("")}
            mayLastForever={data.mayLastForever}
          />
          <Button name="action" value="create" kind="primary">{t("Create token")}</Button>
        </form>
      </Panel>
      {data.organizationTokens && (
        <OrganizationTokens
          tokens={data.organizationTokens}
          errorsOf={errorsOf}
          mayLastForever={data.mayLastForever}
        />
      )}
    </OrganizationSettingsPage>
  );
});

interface OrganizationTokensProps {
  readonly tokens: readonly OrganizationToken[];
  readonly errorsOf: (token: string) => FormErrors;
  readonly mayLastForever: boolean;
}

function OrganizationTokens({ tokens, errorsOf, mayLastForever }: OrganizationTokensProps) {
  return (
    <Panel
      title={t("Organization tokens")}
      description={t(
        "For build servers: releases, commits, deploys and source maps, and nothing else. As SENTRY_AUTH_TOKEN, one tells Sentry's tools the server and the organization too. It acts for nobody and stays when people leave.",
      )}
      flush
    >
      {tokens.length > 0 && (
        <ul class="border-b border-line">
          {tokens.map((token) => (
            <OrganizationTokenRow
              key={token.id}
              token={token}
              errors={errorsOf(token.id)}
            />
          ))}
        </ul>
      )}
      <form method="post" class="max-w-2xl space-y-4 p-4">
        <FormSummary errors={errorsOf(NEW_CI)} idPrefix="ci-" />
        <Field
          name="name"
          idPrefix="ci-"
          label={t("Name")}
          value=""
          error={errorsOf(NEW_CI).name}
          help={t("Which build uses it, such as shop release.")}
          maxLength={64}
          autocomplete="off"
          required
        />
        <TokenLimitFields
          idPrefix="ci-"
          values={NEW_LIMITS}
          errors={errorsOf(NEW_CI)}
          mayLastForever={mayLastForever}
        />
        <Button name="action" value="create-ci">{t("Create organization token")}</Button>
      </form>
    </Panel>
  );
}

export const handler = formHandlers<TokensData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "token:write");
  ctx.state.meta.title = `${t("API tokens")} · ${organization.name}`;
  const [shell, tokens, organizationTokens] = await Promise.all([
    loadShell(ctx),
    tokensInSight(ctx, { organization, role }),
    roleAllows(role, "token:admin")
      ? listOrganizationTokens(ctx.state.services.kv, organization.id)
      : null,
  ]);
  return {
    shell,
    organization,
    tokens,
    organizationTokens,
    scopes: SCOPES.filter((permission) => roleAllows(role, permission)),
    created: null,
    values: NEW_TOKEN,
    mayLastForever: role === "owner",
    refused: null,
  };
}, async (ctx) => {
  const access = await requireOrganization(ctx, "token:write");
  requireRecent(ctx);
  const form = await readForm(ctx.req);
  switch (form.get("action")) {
    case "delete":
      return await remove(ctx, access, form);
    case "rotate":
      return await rotate(ctx, access, form);
    case "create-ci":
      return await createCi(ctx, form);
    case "rotate-ci":
      return await rotateCi(ctx, form);
    case "delete-ci":
      return await removeCi(ctx, form);
    default:
      return await create(ctx, access, form);
  }
});

async function create(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
  requireRecent(ctx);
  const user = requireUser(ctx.state);
  const name = fieldOf(form, "name");
  const scopes = form.getAll("scopes");
  const sentryScopes = fieldOf(form, "sentryScopes");
  const result = await attempt(async () =>
    await createApiToken(ctx.state.services.kv, {
      name,
      scopes: [...scopes, ...permissionsOfSentryScopes(sentryScopes)],
      organizationId: access.organization.id,
      userId: user.id,
      ...limitsIn(form),
    })
  );
  if (result.ok) return shownOnce(result.value.token);
  const values = { name, scopes, sentryScopes, ...limitValues(form) };
  return { changes: { values, refused: { token: "", errors: result.errors } } };
}

async function rotate(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
  requireRecent(ctx);
  const tokens = await tokensInSight(ctx, access);
  const token = tokens.find(({ id }) => id === form.get("token"));
  // A new secret is for whom the token acts, whoever else may delete it.
  if (token === undefined || token.userId !== requireUser(ctx.state).id) throw gone();
  const { kv } = ctx.state.services;
  const result = await attempt(() =>
    rotateApiToken(kv, access.organization.id, token.id, overlapIn(form))
  );
  return result.ok
    ? shownOnce(result.value.token)
    : { changes: { refused: { token: token.id, errors: result.errors } } };
}

async function rotateCi(ctx: Asking, form: URLSearchParams) {
  requireRecent(ctx);
  const { organization, role } = await requireOrganization(ctx, "token:admin");
  const { kv, config: { baseUrl } } = ctx.state.services;
  const id = fieldOf(form, "token").slice(0, MAX_ID_LENGTH);
  const result = await attempt(() =>
    rotateOrganizationToken(kv, { organization, baseUrl, role }, id, overlapIn(form))
  );
  return result.ok
    ? shownOnce(result.value.token)
    : { changes: { refused: { token: id, errors: result.errors } } };
}

function overlapIn(form: URLSearchParams): number {
  return Number(fieldOf(form, "overlapDays") || NaN);
}

/** Longer than any id; Deno KV throws at keys of 2 KB. */
const MAX_ID_LENGTH = 100;

function gone(): HttpError {
  return new HttpError(404, t("This token does not exist any more."));
}

async function createCi(ctx: Asking, form: URLSearchParams) {
  requireRecent(ctx);
  const { organization, role } = await requireOrganization(ctx, "token:admin");
  const { kv, config: { baseUrl } } = ctx.state.services;
  const createdBy = requireUser(ctx.state).name;
  const name = fieldOf(form, "name");
  const result = await attempt(() =>
    createOrganizationToken(kv, {
      organization,
      name,
      createdBy,
      baseUrl,
      role,
      ...limitsIn(form),
    })
  );
  return result.ok
    ? shownOnce(result.value.token)
    : { changes: { refused: { token: NEW_CI, errors: result.errors } } };
}

function shownOnce(created: string) {
  return { changes: { created }, status: 201, headers: { "cache-control": "no-store" } };
}

async function removeCi(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "token:admin");
  const { kv } = ctx.state.services;
  const tokens = await listOrganizationTokens(kv, organization.id);
  const token = tokens.find(({ id }) => id === form.get("token"));
  if (token === undefined) throw gone();
  const problem = checkConfirmation(form, token.name);
  if (problem !== null) {
    return { changes: { refused: { token: token.id, errors: { [CONFIRM_FIELD]: problem } } } };
  }
  await deleteOrganizationToken(kv, organization.id, token.id);
  return redirectWithFlash(
    `${organizationPath(organization.slug)}/tokens`,
    t("{name} is deleted.", { name: token.name }),
  );
}

async function remove(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
  const tokens = await tokensInSight(ctx, access);
  const token = tokens.find(({ id }) => id === form.get("token"));
  if (token === undefined) throw gone();
  const problem = checkConfirmation(form, token.name);
  if (problem !== null) {
    return { changes: { refused: { token: token.id, errors: { [CONFIRM_FIELD]: problem } } } };
  }
  const { kv } = ctx.state.services;
  await deleteApiToken(kv, access.organization.id, token.id);
  const location = `${organizationPath(access.organization.slug)}/tokens`;
  return redirectWithFlash(location, t("{name} is deleted.", { name: token.name }));
}

/** Those that the person sees: their own, or all for who decides about members. */
async function tokensInSight(
  { state }: Asking,
  { organization, role }: Pick<OrganizationAccess, "organization" | "role">,
): Promise<TokenOfPerson[]> {
  const user = requireUser(state);
  const { kv } = state.services;
  const [all, members] = await Promise.all([
    listApiTokens(kv, organization.id),
    listMembers(kv, organization.id),
  ]);
  const nameOf = new Map(members.map(({ userId, user: { name } }) => [userId, name]));
  const seesAll = roleAllows(role, "token:admin");
  return all
    .filter(({ userId }) => seesAll || userId === user.id)
    .map((token) => ({ ...token, owner: nameOf.get(token.userId) ?? t("a former member") }));
}
