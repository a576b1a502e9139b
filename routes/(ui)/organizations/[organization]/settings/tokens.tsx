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
import { listMembers, type Permission, PERMISSIONS, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
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
import { ScopeChoice, TokenRow } from "@/lib/projects/tokens.tsx";
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
  /** The scopes that the person's role allows. */
  readonly scopes: readonly Permission[];
  /** The token just made; shown this once. */
  readonly created: string | null;
  readonly values: { readonly name: string; readonly scopes: readonly string[] };
  /** A refused form: of which token (`""` for a new one) and why. */
  readonly refused: { readonly token: string; readonly errors: FormErrors } | null;
}

const NEW_TOKEN = { name: "", scopes: ["organization:read", "project:read"] };

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
          <Button name="action" value="create" kind="primary">Create token</Button>
        </form>
      </Panel>
    </OrganizationSettingsPage>
  );
});

export const handler = formHandlers<TokensData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "token:write");
  ctx.state.meta.title = `API tokens · ${organization.name}`;
  const [shell, tokens] = await Promise.all([
    loadShell(ctx),
    tokensInSight(ctx, { organization, role }),
  ]);
  return {
    shell,
    organization,
    tokens,
    scopes: PERMISSIONS.filter((permission) => roleAllows(role, permission)),
    created: null,
    values: NEW_TOKEN,
    refused: null,
  };
}, async (ctx) => {
  const access = await requireOrganization(ctx, "token:write");
  const form = await readForm(ctx.req);
  return form.get("action") === "delete"
    ? await remove(ctx, access, form)
    : await create(ctx, access, form);
});

async function create(ctx: Asking, access: OrganizationAccess, form: URLSearchParams) {
  const user = requireUser(ctx.state);
  const values = { name: fieldOf(form, "name"), scopes: form.getAll("scopes") };
  const input = { ...values, organizationId: access.organization.id, userId: user.id };
  const result = await attempt(() => createApiToken(ctx.state.services.kv, input));
  if (!result.ok) {
    return { changes: { values, refused: { token: "", errors: result.errors } } };
  }
  return {
    changes: { created: result.value.token },
    status: 201,
    headers: { "cache-control": "no-store" },
  };
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
