import { HttpError } from "fresh";
import {
  type ApiToken,
  createApiToken,
  deleteApiToken,
  listApiTokens,
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
} from "@/lib/accounts/organization_tokens.ts";
import { permissionsOfSentryScopes } from "@/lib/accounts/scopes.ts";
import { listMembers, type Permission, roleAllows, SCOPES } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
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
import { OrganizationTokenRow, ScopeChoice, TokenRow } from "@/lib/projects/tokens.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";

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
  };
  /** A refused form: of which token (`""` for a new one, `ci` for a new one of the organization) and why. */
  readonly refused: { readonly token: string; readonly errors: FormErrors } | null;
}

const NEW_TOKEN = { name: "", scopes: ["organization:read", "project:read"], sentryScopes: "" };
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
        <Alert kind="ok" title="The token is created" isLive>
          <p class="mb-2">Copy it now: it is not kept and cannot be shown again.</p>
          <CopyField id="new-token" value={created} what="API token" />
        </Alert>
      )}
      <Panel
        title="API tokens"
        description="A token lets a program act for you under /api/0, as far as its scopes and your role go."
        actions={
          <a href={DOCS_PATH} class="text-sm text-accent hover:underline">What the API can do</a>
        }
        flush
      >
        {tokens.length === 0
          ? <EmptyState icon="key" title="No tokens">Create one for each program.</EmptyState>
          : (
            <ul>
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} error={errorsOf(token.id)[CONFIRM_FIELD]} />
              ))}
            </ul>
          )}
      </Panel>
      <Panel title="New token">
        <form method="post" class="max-w-2xl space-y-4">
          <FormSummary errors={errorsOf("")} idPrefix="new-" />
          <Field
            name="name"
            idPrefix="new-"
            label="Name"
            value={values.name}
            error={errorsOf("").name}
            help="What it is for, such as release script."
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
            label="Scopes that a tool asks for, in Sentry's names"
            value={values.sentryScopes}
            error={errorsOf("").sentryScopes}
            help="Added to those above: org:read, project:read, event:write, project:releases and so on, with blanks between them."
            autocomplete="off"
          />
          <Button name="action" value="create" kind="primary">Create token</Button>
        </form>
      </Panel>
      {data.organizationTokens && (
        <OrganizationTokens tokens={data.organizationTokens} errorsOf={errorsOf} />
      )}
    </OrganizationSettingsPage>
  );
});

interface OrganizationTokensProps {
  readonly tokens: readonly OrganizationToken[];
  readonly errorsOf: (token: string) => FormErrors;
}

function OrganizationTokens({ tokens, errorsOf }: OrganizationTokensProps) {
  return (
    <Panel
      title="Organization tokens"
      description="For build servers: releases, commits, deploys and source maps, and nothing else. As SENTRY_AUTH_TOKEN, one tells Sentry's tools the server and the organization too. It acts for nobody and stays when people leave."
      flush
    >
      {tokens.length > 0 && (
        <ul class="border-b border-line">
          {tokens.map((token) => (
            <OrganizationTokenRow
              key={token.id}
              token={token}
              error={errorsOf(token.id)[CONFIRM_FIELD]}
            />
          ))}
        </ul>
      )}
      <form method="post" class="max-w-2xl space-y-4 p-4">
        <FormSummary errors={errorsOf(NEW_CI)} idPrefix="ci-" />
        <Field
          name="name"
          idPrefix="ci-"
          label="Name"
          value=""
          error={errorsOf(NEW_CI).name}
          help="Which build uses it, such as shop release."
          maxLength={64}
          autocomplete="off"
          required
        />
        <Button name="action" value="create-ci">Create organization token</Button>
      </form>
    </Panel>
  );
}

export const handler = formHandlers<TokensData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "token:write");
  ctx.state.meta.title = `API tokens · ${organization.name}`;
  const [shell, tokens, organizationTokens] = await Promise.all([
    loadShell(ctx),
    tokensInSight(ctx, { organization, role }),
    roleAllows(role, "member:write")
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
    refused: null,
  };
}, async (ctx) => {
  const access = await requireOrganization(ctx, "token:write");
  const form = await readForm(ctx.req);
  switch (form.get("action")) {
    case "delete":
      return await remove(ctx, access, form);
    case "create-ci":
      return await createCi(ctx, form);
    case "delete-ci":
      return await removeCi(ctx, form);
    default:
      return await create(ctx, access, form);
  }
});

async function create(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
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
    })
  );
  if (result.ok) return shownOnce(result.value.token);
  const values = { name, scopes, sentryScopes };
  return { changes: { values, refused: { token: "", errors: result.errors } } };
}

async function createCi(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "member:write");
  const { kv, config: { baseUrl } } = ctx.state.services;
  const createdBy = requireUser(ctx.state).name;
  const name = fieldOf(form, "name");
  const result = await attempt(() =>
    createOrganizationToken(kv, { organization, name, createdBy, baseUrl })
  );
  return result.ok
    ? shownOnce(result.value.token)
    : { changes: { refused: { token: NEW_CI, errors: result.errors } } };
}

function shownOnce(created: string) {
  return { changes: { created }, status: 201, headers: { "cache-control": "no-store" } };
}

async function removeCi(ctx: Asking, form: URLSearchParams) {
  const { organization } = await requireOrganization(ctx, "member:write");
  const { kv } = ctx.state.services;
  const tokens = await listOrganizationTokens(kv, organization.id);
  const token = tokens.find(({ id }) => id === form.get("token"));
  if (token === undefined) throw new HttpError(404, "This token does not exist any more.");
  const problem = checkConfirmation(form, token.name);
  if (problem !== null) {
    return { changes: { refused: { token: token.id, errors: { [CONFIRM_FIELD]: problem } } } };
  }
  await deleteOrganizationToken(kv, organization.id, token.id);
  return redirectWithFlash(
    `${organizationPath(organization.slug)}/tokens`,
    `${token.name} is deleted.`,
  );
}

async function remove(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
  const tokens = await tokensInSight(ctx, access);
  const token = tokens.find(({ id }) => id === form.get("token"));
  if (token === undefined) throw new HttpError(404, "This token does not exist any more.");
  const problem = checkConfirmation(form, token.name);
  if (problem !== null) {
    return { changes: { refused: { token: token.id, errors: { [CONFIRM_FIELD]: problem } } } };
  }
  const { kv } = ctx.state.services;
  await deleteApiToken(kv, access.organization.id, token.id);
  const location = `${organizationPath(access.organization.slug)}/tokens`;
  return redirectWithFlash(location, `${token.name} is deleted.`);
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
  const seesAll = roleAllows(role, "member:write");
  return all
    .filter(({ userId }) => seesAll || userId === user.id)
    .map((token) => ({ ...token, owner: nameOf.get(token.userId) ?? "a former member" }));
}
