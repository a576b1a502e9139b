/** The part of the members page that is about those who are proposed, or ask for themselves. */
import type { OrganizationAccess } from "../accounts/authorize.ts";
import {
  approveRequest,
  declineRequest,
  findJoinRequest,
  type JoinRequest,
  proposeInvite,
} from "../accounts/join_requests.ts";
import { JOIN_ROLES } from "../accounts/join_policy.ts";
import { isRole } from "../accounts/members.ts";
import { rolesGivenBy } from "../accounts/roles.ts";
import type { Config } from "../core/config.ts";
import { t } from "../core/language/translate.ts";
import { Button } from "../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "../ui/components/fields.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { actionOf, attempt, fieldOf, unknownForm } from "../ui/form.ts";
import { inviteLink, mailInvite } from "./invite_mail.ts";
import {
  type InviteOutcome,
  type InvitesView,
  type InviteValues,
  inviteValues,
  TeamChoice,
} from "./invites.tsx";
import { roleOptions } from "./members.tsx";

interface RequestsPanelProps extends Pick<InvitesView, "role" | "hasMail"> {
  readonly requests: readonly JoinRequest[];
  /** False: those that the person made are shown, to be taken back. */
  readonly mayDecide: boolean;
  readonly nameOf: ReadonlyMap<string, string>;
}

/** Those who wait for somebody to decide. */
export function RequestsPanel({ requests, mayDecide, ...rest }: RequestsPanelProps) {
  if (requests.length === 0) return null;
  return (
    <Panel
      title={mayDecide ? t("Requests to join") : t("Whom you proposed")}
      description={mayDecide ? undefined : t("Somebody who may invite decides.")}
      flush
    >
      <ul>
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} mayDecide={mayDecide} {...rest} />
        ))}
      </ul>
    </Panel>
  );
}

interface RequestRowProps extends Omit<RequestsPanelProps, "requests"> {
  readonly request: JoinRequest;
}

function RequestRow({ request, mayDecide, role, nameOf }: RequestRowProps) {
  const { id, email, userId, requestedBy, createdAt } = request;
  const given = rolesGivenBy(role);
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-40 flex-1">
        <p class="font-medium wrap-anywhere">{email}</p>
        <p class="text-sm text-muted wrap-anywhere">
          {userId !== null
            ? t("Asks to join")
            : t("Proposed by {name}", { name: nameOf.get(requestedBy) ?? t("a former member") })}
          {" · "}
          <RelativeTime date={createdAt} />
        </p>
      </div>
      <form method="post" class="flex flex-wrap items-center gap-2">
        <input type="hidden" name="request" value={id} />
        {mayDecide && (
          <>
            <Select
              name="role"
              idPrefix={`${id}-`}
              size="sm"
              aria-label={t("Role of {name}", { name: email })}
              value={request.role}
              options={roleOptions(given)}
            />
            <Button name="action" value="approve" size="sm">{t("Approve")}</Button>
          </>
        )}
        <Button name="action" value="decline" size="sm">
          {mayDecide ? t("Decline") : t("Take back")}
        </Button>
      </form>
    </li>
  );
}

interface ProposalFormProps extends Pick<InvitesView, "teams"> {
  readonly values: InviteValues;
  readonly errors: FormErrors;
}

/** For members, who may not invite: they say whom. */
export function ProposalForm({ teams, values, errors }: ProposalFormProps) {
  return (
    <Panel
      title={t("Propose a member")}
      description={t("Admins, managers and owners see it on this page and decide.")}
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} idPrefix="new-" />
        <Field
          name="email"
          idPrefix="new-"
          label={t("Email")}
          type="email"
          value={values.email}
          error={errors.email}
          autocomplete="off"
          required
        />
        <Select
          name="role"
          idPrefix="new-"
          label={t("Role")}
          value={values.role}
          error={errors.role}
          options={roleOptions(JOIN_ROLES)}
        />
        <TeamChoice teams={teams} chosen={values.teams} error={errors.teams} />
        <Button name="action" value="propose">{t("Propose")}</Button>
      </form>
    </Panel>
  );
}

interface RequestTools {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "baseUrl" | "smtp">;
}

const ACTIONS = { propose, approve, decline };

/** Whether a form of the members page is about requests. */
export function isAboutRequests(form: URLSearchParams): boolean {
  return Object.hasOwn(ACTIONS, fieldOf(form, "action"));
}

/**
 * Does what a form about requests asks for.
 *
 * @param access of the person who sent it
 * @throws {HttpError} 400 for a form that this page does not have
 */
export function actOnRequests(
  tools: RequestTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  return actionOf(ACTIONS, form)(tools, access, form);
}

async function propose(
  { kv }: RequestTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  const { email, role, teams } = inviteValues(form);
  if (!isRole(role)) throw unknownForm();
  const result = await attempt(() =>
    proposeInvite(kv, access, access.organization.id, { email, role, teamIds: teams })
  );
  return result.ok
    ? { kind: "done", text: t("{email} is proposed.", { email: result.value.email }) }
    : { ...result, kind: "refused" };
}

async function approve(
  tools: RequestTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  const { kv, config } = tools;
  const role = fieldOf(form, "role");
  if (!isRole(role)) throw unknownForm();
  const request = await findJoinRequest(kv, access.organization.id, fieldOf(form, "request"));
  if (request === null) return gone();
  const isByMail = config.smtp !== null;
  const result = await attempt(async () => {
    const approval = await approveRequest(kv, access, request, { role, isByMail });
    if (approval.kind === "invited" && isByMail) {
      await mailInvite(tools, access.organization, approval.invite, approval.token);
    }
    return approval;
  });
  if (!result.ok) return { ...result, kind: "refused" };
  const { email } = request;
  if (result.value.kind === "joined") {
    return { kind: "done", text: t("{email} is a member now.", { email }) };
  }
  if (isByMail) {
    return { kind: "done", text: t("{email} is invited: the mail is on its way.", { email }) };
  }
  const { invite: { onlyThisAddress = false }, token } = result.value;
  return { kind: "invited", invite: { email, link: inviteLink(config, token), onlyThisAddress } };
}

async function decline(
  { kv }: RequestTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  const request = await findJoinRequest(kv, access.organization.id, fieldOf(form, "request"));
  if (request === null) return gone();
  const result = await attempt(() => declineRequest(kv, access, request));
  return result.ok
    ? { kind: "done", text: t("The request of {email} is closed.", { email: request.email }) }
    : { ...result, kind: "refused" };
}

function gone(): InviteOutcome {
  return { kind: "refused", errors: { "": t("This request is closed already.") }, status: 422 };
}
