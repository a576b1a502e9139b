import { requireOrganization, requireUser } from "@/lib/accounts/authorize.ts";
import { listInvites } from "@/lib/accounts/invites.ts";
import { type JoinRequest, listJoinRequests } from "@/lib/accounts/join_requests.ts";
import { listMembers, type Member, type Role, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { listProvisioned, type ProvisionedMember } from "@/lib/accounts/provisioning.ts";
import { hasSecondFactor } from "@/lib/accounts/second_factors.ts";
import { isInTeam, listTeams, type Team } from "@/lib/accounts/teams.ts";
import { t } from "@/lib/core/language/translate.ts";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";
import { DisabledPanel } from "@/lib/projects/disabled_members.tsx";
import {
  actOnInvites,
  InviteForm,
  InvitesPanel,
  type InvitesView,
  type InviteValues,
  inviteValues,
  isAboutInvites,
  NEW_INVITE,
  type NewInvite,
  NewInviteLink,
} from "@/lib/projects/invites.tsx";
import {
  actOnRequests,
  isAboutRequests,
  ProposalForm,
  RequestsPanel,
} from "@/lib/projects/join_requests.tsx";
import { actOnMembers, MemberRow } from "@/lib/projects/members.tsx";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";

interface MembersData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly members: readonly Member[];
  readonly inviting: InvitesView;
  /** All for those who decide; for others their own. */
  readonly requests: readonly JoinRequest[];
  /** Whom a directory has disabled. */
  readonly disabled: readonly ProvisionedMember[];
  readonly selfId: string;
  readonly teams: readonly Team[];
  /** Ids of accounts that sign in with more than a password. */
  readonly secured: ReadonlySet<string>;
  /** How many there are beside those that were searched for. */
  readonly total: number;
  readonly search: string;
  readonly role: Role;
  readonly mayHaveTokens: boolean;
  /** Just made, with the link that is shown this once. */
  readonly invited: NewInvite | null;
  readonly values: InviteValues;
  /** A refused form: of which user (`""` for a new member) and why. */
  readonly refused: { readonly userId: string; readonly errors: FormErrors } | null;
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, members, selfId, mayHaveTokens, refused } = data;
  const mayWrite = roleAllows(data.role, "member:write");
  const errorsOf = (userId: string) => refused?.userId === userId ? refused.errors : {};
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="members"
      mayHaveTokens={mayHaveTokens}
    >
      {data.invited && <NewInviteLink invite={data.invited} />}
      <Panel title={t("Members")} flush actions={<MemberSearch {...data} />}>
        {members.length === 0 && (
          <EmptyState icon="search" title={t("No member is called so")}>
            <a class="link" href={organizationPath(organization.slug)}>{t("All members")}</a>
          </EmptyState>
        )}
        <ul>
          {members.map((member) => (
            <MemberRow
              key={member.userId}
              member={member}
              isSelf={member.userId === selfId}
              by={data.role}
              teams={data.teams.filter((team) => !team.isEveryone && isInTeam(team, member.userId))}
              hasSecondFactor={data.secured.has(member.userId)}
              errors={errorsOf(member.userId)}
            />
          ))}
        </ul>
      </Panel>
      <RequestsPanel
        {...data.inviting}
        requests={data.requests}
        mayDecide={mayWrite}
        nameOf={new Map(members.map(({ userId, user: { name } }) => [userId, name]))}
      />
      {mayWrite && <InvitesPanel {...data.inviting} />}
      {mayWrite && <DisabledPanel members={data.disabled} />}
      {mayWrite
        ? <InviteForm {...data.inviting} values={data.values} errors={errorsOf("")} />
        : (
          <ProposalForm
            teams={data.inviting.teams}
            values={data.values}
            errors={errorsOf("")}
          />
        )}
    </OrganizationSettingsPage>
  );
});

/** From so many on, a search is worth its place. */
const SEARCHED_FROM = 8;

function MemberSearch({ total, search }: Pick<MembersData, "total" | "search">) {
  if (total < SEARCHED_FROM && search === "") return null;
  return (
    <form role="search" class="flex items-center gap-2">
      <input
        type="search"
        name="q"
        value={search}
        aria-label={t("Search members")}
        placeholder={t("Search members")}
        class="block h-8 w-full rounded-md border border-line-strong bg-surface px-2 sm:w-56"
      />
    </form>
  );
}

export const handler = formHandlers<MembersData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  const user = requireUser(ctx.state);
  ctx.state.meta.title = `${t("Members")} · ${organization.name}`;
  const { kv, config } = ctx.state.services;
  const mayWrite = roleAllows(role, "member:write");
  const [shell, members, invites, teams, requests, provisioned] = await Promise.all([
    loadShell(ctx),
    listMembers(kv, organization.id),
    listInvites(kv, organization.id),
    listTeams(kv, organization),
    listJoinRequests(kv, organization.id),
    mayWrite ? listProvisioned(kv, organization.id) : [],
  ]);
  const search = ctx.url.searchParams.get("q")?.trim().slice(0, 100) ?? "";
  const shown = members.filter(({ user: { name, email } }) =>
    `${name} ${email}`.toLowerCase().includes(search.toLowerCase())
  );
  const secured = await Promise.all(
    shown.map(async ({ userId }) => await hasSecondFactor(kv, userId) ? [userId] : []),
  );
  return {
    shell,
    organization,
    members: shown,
    total: members.length,
    search,
    teams,
    secured: new Set(secured.flat()),
    role,
    inviting: {
      invites: mayWrite ? invites : [],
      teams: teams.filter(({ isEveryone }) => !isEveryone),
      role,
      hasMail: config.smtp !== null,
    },
    disabled: provisioned.filter(({ disabledAt }) => disabledAt !== undefined),
    requests: mayWrite ? requests : requests.filter(({ requestedBy }) => requestedBy === user.id),
    selfId: user.id,
    mayHaveTokens: roleAllows(role, "token:write"),
    invited: null,
    values: NEW_INVITE,
    refused: null,
  };
}, async (ctx) => {
  // Everybody may leave; what else a role may do, the members functions decide.
  const access = await requireOrganization(ctx, "organization:read");
  const form = await readForm(ctx.req);
  const outcome = isAboutInvites(form)
    ? await actOnInvites(ctx.state.services, access, form)
    : isAboutRequests(form)
    ? await actOnRequests(ctx.state.services, access, form)
    : await actOnMembers(ctx.state.services.kv, access, form);
  const path = organizationPath(access.organization.slug);
  switch (outcome.kind) {
    case "done":
      return redirectWithFlash(
        "hasLeft" in outcome && outcome.hasLeft ? "/projects" : path,
        outcome.text,
      );
    case "invited":
      return {
        changes: { invited: outcome.invite },
        status: 201,
        headers: { "cache-control": "no-store" },
      };
    default:
      return {
        changes: { values: inviteValues(form), refused: { userId: "", ...outcome } },
        status: outcome.status,
      };
  }
});
