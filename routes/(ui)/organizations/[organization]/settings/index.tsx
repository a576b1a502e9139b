import { page } from "fresh";
import type { OrganizationAccess } from "../../../../../lib/control/authorize.ts";
import { listMembers, type Member } from "../../../../../lib/control/members.ts";
import type { Organization } from "../../../../../lib/control/organizations.ts";
import { roleAllows } from "../../../../../lib/control/roles.ts";
import {
  Alert,
  Button,
  Field,
  type FormErrors,
  FormSummary,
  Panel,
  Select,
} from "../../../../../lib/ui/components/mod.ts";
import { redirectWithFlash } from "../../../../../lib/ui/flash.ts";
import { readForm } from "../../../../../lib/ui/form.ts";
import { actOnMembers, type CreatedAccount } from "../../../../../lib/ui/settings/member_form.ts";
import { MemberRow } from "../../../../../lib/ui/settings/member_row.tsx";
import {
  organizationPath,
  OrganizationSettingsPage,
} from "../../../../../lib/ui/settings/organization_settings_page.tsx";
import { ROLE_HELP, ROLE_OPTIONS } from "../../../../../lib/ui/settings/role_labels.ts";
import { DsnField } from "../../../../../lib/ui/setup/dsn_list.tsx";
import { loadShell, type Shell } from "../../../../../lib/ui/shell.ts";
import { requireOrganization } from "../../../../../lib/web/access.ts";
import { define } from "../../../../../lib/web/define.ts";
import { requireUser } from "../../../../../lib/web/require_user.ts";

interface MembersData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly members: readonly Member[];
  readonly selfId: string;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  /** Just made, with the password that is shown this once. */
  readonly created: CreatedAccount | null;
  readonly values: { readonly email: string; readonly name: string; readonly role: string };
  /** A refused form: of which user (`""` for a new member) and why. */
  readonly refused: { readonly userId: string; readonly errors: FormErrors } | null;
}

const NEW_MEMBER = { email: "", name: "", role: "member" };

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, members, selfId, mayWrite, mayHaveTokens, refused } = data;
  const errorsOf = (userId: string) => refused?.userId === userId ? refused.errors : {};
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="members"
      mayHaveTokens={mayHaveTokens}
    >
      {data.created && <NewAccount account={data.created} />}
      <Panel title="Members" flush>
        <ul>
          {members.map((member) => (
            <MemberRow
              key={member.userId}
              member={member}
              isSelf={member.userId === selfId}
              mayWrite={mayWrite}
              errors={errorsOf(member.userId)}
            />
          ))}
        </ul>
      </Panel>
      {mayWrite && <AddMemberForm values={data.values} errors={errorsOf("")} />}
    </OrganizationSettingsPage>
  );
});

function NewAccount({ account }: { readonly account: CreatedAccount }) {
  return (
    <Alert kind="ok" title={`${account.name} has an account and is a member now`} isLive>
      <p class="mb-2">
        Hand over this password in a safe way; it is shown only now. {account.name} signs in with
        {" "}
        {account.email} and changes it under Account.
      </p>
      <DsnField id="new-password" value={account.password} what="password" />
    </Alert>
  );
}

function AddMemberForm({ values, errors }: Pick<MembersData, "values"> & { errors: FormErrors }) {
  return (
    <Panel
      title="Add a member"
      description="Somebody without an account gets one, with a password for you to hand over."
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} idPrefix="new-" />
        <Field
          name="email"
          idPrefix="new-"
          label="Mail address"
          type="email"
          value={values.email}
          error={errors.email}
          autocomplete="off"
          required
        />
        <Field
          name="name"
          idPrefix="new-"
          label="Name"
          value={values.name}
          error={errors.name}
          help="Only needed for somebody without an account."
          maxLength={64}
          autocomplete="off"
          isOptional
        />
        <Select
          name="role"
          idPrefix="new-"
          label="Role"
          value={values.role}
          error={errors.role}
          options={ROLE_OPTIONS}
        />
        <dl class="grid grid-cols-[auto_1fr] gap-x-3 text-sm text-muted">
          {Object.entries(ROLE_HELP).map(([role, help]) => (
            <>
              <dt class="font-medium">{role}</dt>
              <dd>{help}</dd>
            </>
          ))}
        </dl>
        <Button name="action" value="add" kind="primary">Add member</Button>
      </form>
    </Panel>
  );
}

export const handler = define.handlers<MembersData>({
  async GET(ctx) {
    const access = await requireOrganization(ctx, "organization:read");
    return page({ ...await load(ctx, access), created: null, values: NEW_MEMBER, refused: null });
  },

  async POST(ctx) {
    // Everybody may leave; what else a role may do, the members functions decide.
    const access = await requireOrganization(ctx, "organization:read");
    const form = await readForm(ctx.req);
    const outcome = await actOnMembers(ctx.state.services.kv, access, form);
    if (outcome.kind === "done") {
      const location = outcome.hasLeft ? "/projects" : organizationPath(access.organization.slug);
      return redirectWithFlash(location, outcome.text);
    }
    const data = await load(ctx, access);
    if (outcome.kind === "created") {
      const headers = { "cache-control": "no-store" };
      return page(
        { ...data, created: outcome.account, values: NEW_MEMBER, refused: null },
        { status: 201, headers },
      );
    }
    const values = {
      email: form.get("email") ?? "",
      name: form.get("name") ?? "",
      role: form.get("role") ?? NEW_MEMBER.role,
    };
    return page({ ...data, created: null, values, refused: outcome }, { status: 422 });
  },
});

async function load(
  ctx: Parameters<typeof loadShell>[0],
  { organization, role }: OrganizationAccess,
) {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `Members · ${organization.name}`;
  const [shell, members] = await Promise.all([
    loadShell(ctx),
    listMembers(ctx.state.services.kv, organization.id),
  ]);
  return {
    shell,
    organization,
    members,
    selfId: user.id,
    mayWrite: roleAllows(role, "member:write"),
    mayHaveTokens: roleAllows(role, "token:write"),
  };
}
