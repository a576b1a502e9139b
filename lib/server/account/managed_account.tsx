/** One account as administrators of the instance see it. */
import { plannedRemoval } from "../../accounts/factor_removal.ts";
import { listOrganizationsOf, type Organization } from "../../accounts/organizations.ts";
import { type Factors, factorsOf } from "../../accounts/second_factors.ts";
import { listSessions, type Session } from "../../accounts/sessions.ts";
import type { User } from "../../accounts/users.ts";
import { rich, t } from "../../core/language/translate.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, CopyField } from "../../ui/components/button.tsx";
import {
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
} from "../../ui/components/fields.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { deviceName } from "../../accounts/device_names.ts";

export interface AccountView {
  readonly user: User;
  readonly isSelf: boolean;
  readonly organizations: readonly Organization[];
  readonly sessions: readonly Session[];
  readonly factors: Factors;
  /** When the second factors are to go. */
  readonly removalAt: Date | null;
}

/** Reads what the page shows. @param by who looks */
export async function loadAccountView(kv: Deno.Kv, user: User, by: User): Promise<AccountView> {
  const [organizations, sessions, factors, removalAt] = await Promise.all([
    listOrganizationsOf(kv, user.id),
    listSessions(kv, user.id),
    factorsOf(kv, user.id),
    plannedRemoval(kv, user.id),
  ]);
  return { user, isSelf: user.id === by.id, organizations, sessions, factors, removalAt };
}

interface PanelsProps extends AccountView {
  readonly link: string | null;
  readonly errors: FormErrors;
}

/** All that can be seen and done. */
export function AccountPanels(props: PanelsProps) {
  const { [CONFIRM_FIELD]: confirmError, email: emailError, ...errors } = props.errors;
  return (
    <>
      <FormSummary errors={errors} />
      {props.link !== null && <ResetLink email={props.user.email} link={props.link} />}
      <AboutPanel {...props} />
      <SessionsPanel {...props} />
      <FactorsPanel {...props} />
      <ChangePanel user={props.user} error={emailError} />
      {!props.isSelf && <EndPanel user={props.user} error={confirmError} />}
    </>
  );
}

function ResetLink({ email, link }: { readonly email: string; readonly link: string }) {
  return (
    <Alert kind="ok" title={t("A link to a new password for {email}", { email })} isLive>
      <p class="mb-2">
        {t(
          "Hand it over in a safe way; it is shown only now. It holds for 24 hours, once. A second factor is still asked for.",
        )}
      </p>
      <CopyField id="reset-link" value={link} what={t("Link")} />
    </Alert>
  );
}

function AboutPanel({ user, organizations }: AccountView) {
  return (
    <Panel
      title={<span class="wrap-anywhere">{user.email}</span>}
      actions={user.disabledAt !== undefined
        ? <Badge tone="warning" icon="ignored">{t("Disabled")}</Badge>
        : user.isInstanceAdmin
        ? <Badge tone="accent">{t("Administrator")}</Badge>
        : undefined}
    >
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">{t("Name@@person")}</dt>
        <dd class="wrap-anywhere">{user.name}</dd>
        <dt class="text-muted">{t("Email")}</dt>
        <dd>{user.emailVerifiedAt === undefined ? t("Not confirmed") : t("Confirmed")}</dd>
        <dt class="text-muted">{t("Account since")}</dt>
        <dd>
          <ExactTime date={user.createdAt} />
        </dd>
        <dt class="text-muted">{t("Organizations")}</dt>
        <dd class="wrap-anywhere">
          {organizations.length === 0
            ? t("none")
            : organizations.map(({ name }) => name).join(", ")}
        </dd>
      </dl>
    </Panel>
  );
}

function SessionsPanel({ sessions }: AccountView) {
  return (
    <Panel
      title={t("Sessions")}
      actions={sessions.length > 0 && (
        <form method="post">
          <Button name="action" value="sessions" size="sm">{t("End all")}</Button>
        </form>
      )}
    >
      {sessions.length === 0
        ? <p class="text-muted">{t("There are none.")}</p>
        : (
          <ul class="space-y-1">
            {sessions.map(({ id, userAgent, address, lastSeenAt }) => (
              <li key={id} class="wrap-anywhere">
                {deviceName(userAgent)} · {address ?? t("unknown address")} ·{" "}
                {rich("last used {time}", { time: <RelativeTime date={lastSeenAt} /> })}
              </li>
            ))}
          </ul>
        )}
    </Panel>
  );
}

function FactorsPanel({ factors, removalAt }: AccountView) {
  const { authenticatorAddedAt, passkeys, recoveryCodesLeft } = factors;
  const hasAny = authenticatorAddedAt !== null || passkeys > 0;
  return (
    <Panel
      title={t("Second factor")}
      description={t(
        "For who has lost everything. It ends 24 hours later, and the person is told by mail and can cancel it; at the console of the server it ends at once.",
      )}
    >
      <p class="mb-3">
        {hasAny
          ? [
            ...authenticatorAddedAt === null ? [] : [t("Authenticator app")],
            t("{n} passkey|{n} passkeys", { n: passkeys }),
            t("{n} recovery code|{n} recovery codes", { n: recoveryCodesLeft }),
          ].join(" · ")
          : t("None is set up.")}
      </p>
      {removalAt !== null && (
        <Alert kind="warning" class="mb-3">
          {rich("All second factors end at {time}.", { time: <ExactTime date={removalAt} /> })}
        </Alert>
      )}
      {hasAny && (
        <form method="post">
          {removalAt === null
            ? (
              <Button name="action" value="factors" kind="danger">
                {t("Remove second factor")}
              </Button>
            )
            : <Button name="action" value="keep-factors">{t("Keep second factor")}</Button>}
        </form>
      )}
    </Panel>
  );
}

function ChangePanel({ user, error }: { readonly user: User; readonly error: string | undefined }) {
  return (
    <Panel title={t("Password and email")}>
      <form method="post" class="mb-5">
        <p class="mb-2">
          {t("A link with which this person chooses a new password, for who gets no mail.")}
        </p>
        <Button name="action" value="link">{t("Make a link")}</Button>
      </form>
      <form method="post" class="max-w-md space-y-3">
        <Field
          name="email"
          label={t("Email")}
          type="email"
          value={user.email}
          error={error}
          help={t("Changes at once, without asking this person.")}
          required
        />
        <Button name="action" value="email">{t("Change email")}</Button>
      </form>
    </Panel>
  );
}

function EndPanel({ user, error }: { readonly user: User; readonly error: string | undefined }) {
  const isDisabled = user.disabledAt !== undefined;
  return (
    <Panel title={t("End")} danger>
      <form method="post" class="mb-5">
        <p class="mb-2">
          {isDisabled ? t("Nobody can sign in with it, and its tokens are refused.") : t(
            "Nobody can sign in with a disabled account, and its tokens are refused. It can be enabled again.",
          )}
        </p>
        {isDisabled
          ? <Button name="action" value="enable">{t("Enable account")}</Button>
          : <Button name="action" value="disable">{t("Disable account")}</Button>}
      </form>
      <ConfirmByName
        name={user.email}
        action={t("Delete account")}
        idPrefix="delete-"
        fields={{ action: "delete" }}
        error={error}
        consequence={t(
          "The person leaves all organizations and can never sign in again. What they wrote stays, by the name “Deleted user”.",
        )}
      />
    </Panel>
  );
}
