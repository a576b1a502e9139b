import { requireOrganization, requireUser } from "@/lib/accounts/authorize.ts";
import { type Invite, listInvites } from "@/lib/accounts/invites.ts";
import { listMembers, type Member, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import {
  actOnMembers,
  InviteRow,
  MemberRow,
  type NewInvite,
  NewInviteLink,
  ROLE_HELP,
  ROLE_OPTIONS,
} from "@/lib/projects/members.tsx";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface MembersData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly members: readonly Member[];
  /** Only for those who may withdraw them. */
  readonly invites: readonly Invite[];
  readonly selfId: string;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  /** Just made, with the token that is shown this once. */
  readonly invited: NewInvite | null;
  readonly values: { readonly email: string; readonly role: string };
  /** A refused form: of which user (`""` for a new member) and why. */
  readonly refused: { readonly userId: string; readonly errors: FormErrors } | null;
}

const NEW_MEMBER = { email: "", role: "member" };

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
      {data.invited && <NewInviteLink invite={data.invited} baseUrl={data.baseUrl} />}
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
      {data.invites.length > 0 && (
        <Panel title="Invited" flush>
          <ul>
            {data.invites.map((invite) => <InviteRow key={invite.email} invite={invite} />)}
          </ul>
        </Panel>
      )}
      {mayWrite && <InviteForm values={data.values} errors={errorsOf("")} />}
    </OrganizationSettingsPage>
  );
});

function InviteForm({ values, errors }: Pick<MembersData, "values"> & { errors: FormErrors }) {
  return (
    <Panel
      title="Invite a member"
      description="You get a link to hand over. Whoever opens it joins with their account, or makes one with a password of their own."
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
        <Button name="action" value="invite" kind="primary">Invite</Button>
      </form>
    </Panel>
  );
}

export const handler = formHandlers<MembersData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `Members · ${organization.name}`;
  const { kv, config } = ctx.state.services;
  const mayWrite = roleAllows(role, "member:write");
  const [shell, members, invites] = await Promise.all([
    loadShell(ctx),
    listMembers(kv, organization.id),
    mayWrite ? listInvites(kv, organization.id) : [],
  ]);
  return {
    shell,
    organization,
    members,
    invites,
    baseUrl: config.baseUrl,
    selfId: user.id,
    mayWrite,
    mayHaveTokens: roleAllows(role, "token:write"),
    invited: null,
    values: NEW_MEMBER,
    refused: null,
  };
}, async (ctx) => {
  // Everybody may leave; what else a role may do, the members functions decide.
  const access = await requireOrganization(ctx, "organization:read");
  const form = await readForm(ctx.req);
  const outcome = await actOnMembers(ctx.state.services.kv, access, form);
  switch (outcome.kind) {
    case "done":
      return redirectWithFlash(
        outcome.hasLeft ? "/projects" : organizationPath(access.organization.slug),
        outcome.text,
      );
    case "invited":
      return {
        changes: { invited: outcome.invite },
        status: 201,
        headers: { "cache-control": "no-store" },
      };
    default: {
      const values = {
        email: form.get("email") ?? "",
        role: form.get("role") ?? NEW_MEMBER.role,
      };
      return { changes: { values, refused: outcome } };
    }
  }
});
