/** The part of the members page that is about those who are invited. */
import { roleLabel } from "../accounts/roles.ts";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import {
  createInvite,
  type Invite,
  isBoundByDefault,
  renewInvite,
  withdrawInvite,
} from "../accounts/invites.ts";
import { isRole, type Role } from "../accounts/members.ts";
import { rolesGivenBy } from "../accounts/roles.ts";
import type { Team } from "../accounts/teams.ts";
import type { Config } from "../core/config.ts";
import { rich, t } from "../core/language/translate.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button, CopyField } from "../ui/components/button.tsx";
import { Checkbox, Field, type FormErrors, FormSummary, Select } from "../ui/components/fields.tsx";
import { Alert, Panel } from "../ui/components/panel.tsx";
import { ExactTime } from "../ui/components/values.tsx";
import { actionOf, attempt, fieldOf, type FormRefusal, unknownForm } from "../ui/form.ts";
import { inviteLink, mailInvite } from "./invite_mail.ts";
import { roleHelp, roleOptions } from "./members.tsx";

/** What of an organization's invitations the members page shows. */
export interface InvitesView {
  readonly invites: readonly Invite[];
  /** Those that somebody can be invited into: everybody's is none of them. */
  readonly teams: readonly Team[];
  /** Of who looks at the page. */
  readonly role: Role;
  /** Whether this instance sends mail. */
  readonly hasMail: boolean;
}

/** Those who are invited and have not joined yet: nothing but what was typed is known of them. */
export function InvitesPanel({ invites, teams, hasMail }: InvitesView) {
  if (invites.length === 0) return null;
  return (
    <Panel title={t("Invited")} flush>
      <ul>
        {invites.map((invite) => (
          <InviteRow key={invite.email} invite={invite} teams={teams} hasMail={hasMail} />
        ))}
      </ul>
    </Panel>
  );
}

interface InviteRowProps extends Pick<InvitesView, "teams" | "hasMail"> {
  readonly invite: Invite;
}

function InviteRow({ invite, teams, hasMail }: InviteRowProps) {
  const { email, role, expiresAt, teamIds = [] } = invite;
  const named = teams.filter(({ id }) => teamIds.includes(id)).map(({ slug }) => `#${slug}`);
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-40 flex-1">
        <p class="font-medium wrap-anywhere">{email}</p>
        <p class="text-sm text-muted wrap-anywhere">
          {rich("The link holds until {when}.", { when: <ExactTime date={expiresAt} /> })}
          {invite.onlyThisAddress && <>{" "}{t("Only for this address.")}</>}
          {named.length > 0 && <>{" "}{t("Teams: {teams}.", { teams: named.join(", ") })}</>}
        </p>
      </div>
      <Badge title={roleHelp(role)}>{roleLabel(role)}</Badge>
      <form method="post" class="flex flex-wrap gap-2">
        <input type="hidden" name="email" value={email} />
        {hasMail && (
          <Button
            name="action"
            value="resend"
            size="sm"
            aria-label={t("Send {email} the mail again", { email })}
          >
            {t("Send again")}
          </Button>
        )}
        <Button
          name="action"
          value="relink"
          size="sm"
          aria-label={t("New link for {email}", { email })}
        >
          {t("New link")}
        </Button>
        <Button
          name="action"
          value="withdraw"
          size="sm"
          aria-label={t("Withdraw {email}", { email })}
        >
          {t("Withdraw")}
        </Button>
      </form>
    </li>
  );
}

/** An invitation just made; its link is shown once and kept nowhere. */
export interface NewInvite {
  readonly email: string;
  readonly link: string;
  readonly onlyThisAddress: boolean;
}

/** The link of an invitation, this once. */
export function NewInviteLink({ invite }: { readonly invite: NewInvite }) {
  const { email, link, onlyThisAddress } = invite;
  return (
    <Alert kind="ok" title={t("{email} is invited", { email })} isLive>
      <p class="mb-2">
        {t("Hand over this link in a safe way; it is shown only now.")} {onlyThisAddress
          ? t(
            "Within seven days it lets in an account of this address, the one they have or a new one.",
          )
          : t(
            "Whoever opens it first, within seven days, joins: with the account that they have, or with a new one.",
          )}
      </p>
      <CopyField id="invite-link" value={link} what={t("link of the invitation")} />
    </Alert>
  );
}

/** What the form shows. */
export interface InviteValues {
  readonly email: string;
  readonly role: string;
  readonly teams: readonly string[];
  readonly way: string;
  readonly onlyThisAddress: string;
}

/** What the form shows before anybody filled it in. */
export const NEW_INVITE: InviteValues = {
  email: "",
  role: "member",
  teams: [],
  way: "mail",
  onlyThisAddress: "default",
};

/** What somebody entered, to be shown again. */
export function inviteValues(form: URLSearchParams): InviteValues {
  return {
    email: form.get("email") ?? "",
    role: form.get("role") ?? NEW_INVITE.role,
    teams: form.getAll("teams"),
    way: form.get("way") ?? NEW_INVITE.way,
    onlyThisAddress: form.get("onlyThisAddress") ?? NEW_INVITE.onlyThisAddress,
  };
}

interface InviteFormProps extends InvitesView {
  readonly values: InviteValues;
  readonly errors: FormErrors;
}

/** Invites somebody. */
export function InviteForm({ role, teams, hasMail, values, errors }: InviteFormProps) {
  const given = rolesGivenBy(role);
  return (
    <Panel
      title={t("Invite a member")}
      description={hasMail
        ? t(
          "They get a mail with a link, or you hand over the link yourself. Whoever follows it joins with their account, or makes one.",
        )
        : t(
          "You get a link to hand over. Whoever opens it joins with their account, or makes one with a password of their own.",
        )}
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
          options={roleOptions(given)}
        />
        <dl class="grid grid-cols-[auto_1fr] gap-x-3 text-sm text-muted">
          {given.map((each) => (
            <>
              <dt class="font-medium">{roleLabel(each)}</dt>
              <dd>{roleHelp(each)}</dd>
            </>
          ))}
        </dl>
        <TeamChoice teams={teams} chosen={values.teams} error={errors.teams} />
        <Select
          name="onlyThisAddress"
          idPrefix="new-"
          label={t("Who may follow the link")}
          value={values.onlyThisAddress}
          help={t("The role needs this address for admins, managers and owners.")}
          options={[
            { value: "default", label: t("As the role needs") },
            { value: "yes", label: t("This address only") },
            { value: "no", label: t("Whoever has the link") },
          ]}
        />
        {hasMail && (
          <Select
            name="way"
            idPrefix="new-"
            label={t("How they get the link")}
            value={values.way}
            error={errors.way}
            options={[
              { value: "mail", label: t("By mail") },
              { value: "link", label: t("I hand it over") },
            ]}
          />
        )}
        <Button name="action" value="invite" kind="primary">{t("Invite")}</Button>
      </form>
    </Panel>
  );
}

interface TeamChoiceProps {
  readonly teams: readonly Team[];
  /** Ids. */
  readonly chosen: readonly string[];
  readonly error?: string | undefined;
}

/** The teams into which somebody is put when they join. */
export function TeamChoice({ teams, chosen, error }: TeamChoiceProps) {
  if (teams.length === 0) return null;
  return (
    <fieldset id="field-new-teams" tabindex={-1} class="outline-none">
      <legend class="mb-1 font-medium">{t("Teams")}</legend>
      <div class="grid max-h-60 gap-x-6 gap-y-2 overflow-y-auto sm:grid-cols-2">
        {teams.map(({ id, slug }) => (
          <Checkbox
            key={id}
            name="teams"
            value={id}
            label={<span class="wrap-anywhere">#{slug}</span>}
            isChecked={chosen.includes(id)}
          />
        ))}
      </div>
      {error && <p class="mt-1 text-sm text-danger">{error}</p>}
    </fieldset>
  );
}

export type InviteOutcome =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "invited"; readonly invite: NewInvite }
  | Pick<FormRefusal, "errors" | "status"> & { readonly kind: "refused" };

interface InviteTools {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "baseUrl" | "smtp">;
}

const ACTIONS = { invite, resend, relink, withdraw };

/** Whether a form of the members page is about invitations. */
export function isAboutInvites(form: URLSearchParams): boolean {
  return Object.hasOwn(ACTIONS, fieldOf(form, "action"));
}

/**
 * Does what a form about invitations asks for.
 *
 * @param access of the person who sent it
 * @throws {HttpError} 400 for a form that this page does not have
 * @throws {Denied} as the functions of `invites.ts`
 */
export function actOnInvites(
  tools: InviteTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  return actionOf(ACTIONS, form)(tools, access, form);
}

async function invite(
  tools: InviteTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  const { email, role, teams, way, onlyThisAddress } = inviteValues(form);
  if (!isRole(role)) throw unknownForm();
  const isByMail = tools.config.smtp !== null && way === "mail";
  const isBound = onlyThisAddress === "default"
    ? isBoundByDefault(role)
    : onlyThisAddress === "yes";
  return await told(
    tools,
    access,
    isByMail,
    () =>
      createInvite(tools.kv, access, access.organization.id, {
        email,
        role,
        teamIds: teams,
        onlyThisAddress: isBound,
        isByMail,
      }),
  );
}

function resend(tools: InviteTools, access: OrganizationAccess, form: URLSearchParams) {
  return renew(tools, access, form, true);
}

function relink(tools: InviteTools, access: OrganizationAccess, form: URLSearchParams) {
  return renew(tools, access, form, false);
}

function renew(
  tools: InviteTools,
  access: OrganizationAccess,
  form: URLSearchParams,
  isByMail: boolean,
): Promise<InviteOutcome> {
  const email = fieldOf(form, "email");
  return told(
    tools,
    access,
    isByMail,
    () => renewInvite(tools.kv, access, access.organization.id, email, isByMail),
  );
}

/** Makes an invitation and sends its link, or shows it. */
async function told(
  tools: InviteTools,
  { organization }: OrganizationAccess,
  isByMail: boolean,
  make: () => Promise<{ readonly invite: Invite; readonly token: string }>,
): Promise<InviteOutcome> {
  const result = await attempt(async () => {
    const made = await make();
    if (isByMail) await mailInvite(tools, organization, made.invite, made.token);
    return made;
  });
  if (!result.ok) return { ...result, kind: "refused" };
  const { invite: { email, onlyThisAddress = false }, token } = result.value;
  if (isByMail) {
    return { kind: "done", text: t("{email} is invited: the mail is on its way.", { email }) };
  }
  const link = inviteLink(tools.config, token);
  return { kind: "invited", invite: { email, link, onlyThisAddress } };
}

async function withdraw(
  { kv }: InviteTools,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<InviteOutcome> {
  const email = fieldOf(form, "email");
  const result = await attempt(() => withdrawInvite(kv, access, access.organization.id, email));
  return result.ok
    ? { kind: "done", text: t("{email} is no longer invited.", { email }) }
    : { ...result, kind: "refused" };
}
