/** The parts of the page about one's own security. */
import Passkeys from "@/islands/Passkeys.tsx";
import type { Passkey } from "../../accounts/passkeys.ts";
import type { Factors } from "../../accounts/second_factors.ts";
import { MIN_PASSWORD_LENGTH } from "../../accounts/users.ts";
import { rich, t } from "../../core/language/translate.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../ui/components/fields.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";

interface PasswordPanelProps {
  readonly email: string;
  readonly hasPassword: boolean;
  readonly errors: FormErrors;
}

/** Changes the password, or sets one for who has none. */
export function PasswordPanel({ email, hasPassword, errors }: PasswordPanelProps) {
  return (
    <Panel
      title={t("Password")}
      description={hasPassword
        ? t("Changing it ends your sessions in all other browsers.")
        : t("You have none: you sign in another way.")}
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} />
        {/* Tells password managers whose password this is. */}
        <input type="hidden" name="email" value={email} autocomplete="username" />
        {hasPassword && (
          <Field
            name="current"
            label={t("Current password")}
            type="password"
            autocomplete="current-password"
            error={errors.current}
            required
          />
        )}
        <Field
          name="password"
          label={t("New password")}
          type="password"
          autocomplete="new-password"
          help={t("At least {n} characters, such as four or five unrelated words.", {
            n: MIN_PASSWORD_LENGTH,
          })}
          error={errors.password}
          required
        />
        <Button name="action" value="password" kind="primary">
          {hasPassword ? t("Change password") : t("Set password")}
        </Button>
      </form>
    </Panel>
  );
}

/** The authenticator app: there or not, and what can be done. */
export function AuthenticatorPanel({ factors }: { readonly factors: Factors }) {
  const { authenticatorAddedAt } = factors;
  return (
    <Panel
      title={t("Authenticator app")}
      description={t("Shows a new code every 30 seconds, which you enter after your password.")}
      actions={authenticatorAddedAt === null
        ? <Badge>{t("Not set up")}</Badge>
        : <Badge tone="ok" icon="ok">{t("In use")}</Badge>}
    >
      {authenticatorAddedAt !== null && (
        <p class="mb-3">
          {rich("Since {date}", { date: <ExactTime date={authenticatorAddedAt} /> })}
        </p>
      )}
      <div class="flex flex-wrap gap-2">
        <LinkButton
          href="/account/security/authenticator"
          kind={authenticatorAddedAt === null ? "primary" : "secondary"}
        >
          {authenticatorAddedAt === null ? t("Set up") : t("Replace")}
        </LinkButton>
        {authenticatorAddedAt !== null && (
          <form method="post">
            <Button name="action" value="remove-authenticator" kind="danger">{t("Remove")}</Button>
          </form>
        )}
      </div>
    </Panel>
  );
}

interface PasskeysPanelProps {
  readonly passkeys: readonly Passkey[];
  /** Whether browsers allow passkeys at this service's address. */
  readonly isPossible: boolean;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  readonly error: string | undefined;
}

/** Passkeys: each with its name, and a way to add one. */
export function PasskeysPanel({ passkeys, isPossible, baseUrl, error }: PasskeysPanelProps) {
  return (
    <Panel
      title={t("Passkeys")}
      description={t(
        "Sign in with your fingerprint, face, PIN or security key, without a password. With a passkey, your password alone does not let anybody in any more.",
      )}
    >
      {error && <Alert kind="danger" class="mb-3" isLive>{error}</Alert>}
      {passkeys.length > 0 && (
        <ul class="mb-4 divide-y divide-line rounded-md border border-line">
          {passkeys.map((passkey) => <PasskeyRow key={passkey.id} passkey={passkey} />)}
        </ul>
      )}
      {isPossible ? <Passkeys mode="add" path="/account/security/passkeys" /> : (
        <Alert kind="info">
          {t(
            "Browsers allow passkeys only for a name and with https, and this Watchpost is at {address}. Its operator can set SERVICE_BASE_URL to such an address.",
            { address: baseUrl },
          )}
        </Alert>
      )}
    </Panel>
  );
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }) {
  return (
    <li class="flex flex-wrap items-end gap-x-4 gap-y-2 px-3 py-2.5">
      <form method="post" class="flex min-w-0 flex-1 basis-64 items-end gap-2">
        <input type="hidden" name="passkey" value={passkey.id} />
        <Field
          name="name"
          idPrefix={`${passkey.id.slice(0, 12)}-`}
          label={t("Name")}
          value={passkey.name}
          maxLength={64}
          autocomplete="off"
          required
          help={
            <>
              {rich("Added {date}", { date: <ExactTime date={passkey.createdAt} /> })}
              {" · "}
              {passkey.lastUsedAt === null
                ? t("never used")
                : rich("last used {time}", { time: <RelativeTime date={passkey.lastUsedAt} /> })}
              {passkey.isBackedUp && ` · ${t("synced between your devices")}`}
            </>
          }
        />
        <Button
          name="action"
          value="rename-passkey"
          class="mb-6"
          aria-label={t("Rename {name}", { name: passkey.name })}
        >
          {t("Rename")}
        </Button>
      </form>
      <form method="post" class="mb-6">
        <input type="hidden" name="passkey" value={passkey.id} />
        <Button
          name="action"
          value="remove-passkey"
          kind="danger"
          aria-label={t("Remove {name}", { name: passkey.name })}
        >
          {t("Remove")}
        </Button>
      </form>
    </li>
  );
}

/** Codes for who has lost everything else. */
export function RecoveryPanel({ factors }: { readonly factors: Factors }) {
  const { recoveryCodesLeft: n, recoveryMadeAt, authenticatorAddedAt, passkeys } = factors;
  if (authenticatorAddedAt === null && passkeys === 0) return null;
  return (
    <Panel
      title={t("Recovery codes")}
      description={t("Each lets you in once when your second factor is lost.")}
    >
      {n === 0
        ? <Alert kind="danger" class="mb-3">{t("You have none. Make some now.")}</Alert>
        : n <= 3
        ? <Alert kind="warning" class="mb-3">{t("{n} code left|{n} codes left", { n })}</Alert>
        : (
          <p class="mb-3">
            {t("{n} code left|{n} codes left", { n })}
            {recoveryMadeAt !== null && (
              <>
                {" · "}
                {rich("made {date}", { date: <ExactTime date={recoveryMadeAt} /> })}
              </>
            )}
          </p>
        )}
      <LinkButton href="/account/security/recovery-codes">
        {n === 0 ? t("Make recovery codes") : t("Make new codes")}
      </LinkButton>
    </Panel>
  );
}

/** New recovery codes, this once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const text = codes.join("\n");
  return (
    <Panel
      title={t("Your recovery codes")}
      description={t(
        "They are shown only now. Each works once; those made before do not any more.",
      )}
    >
      <pre
        id="recovery-codes"
        class="mb-4 grid grid-cols-1 gap-x-8 gap-y-1 rounded-md border border-line bg-sunken p-4 font-mono select-all sm:grid-cols-2"
      >
        {codes.map((code) => <span key={code}>{`${code}\n`}</span>)}
      </pre>
      <p class="mb-4">
        {t("Print them or keep them in a password manager, apart from your authenticator.")}
      </p>
      <div class="flex flex-wrap gap-2">
        <a
          class="inline-flex h-9 items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`Watchpost\n\n${text}\n`)}`}
          download="watchpost-recovery-codes.txt"
        >
          {t("Download")}
        </a>
        <LinkButton href="/account/security" kind="primary">{t("I have kept them")}</LinkButton>
      </div>
    </Panel>
  );
}

/** An administrator takes the second factors away, which the person may not have asked for. */
export function RemovalAlert({ at }: { readonly at: Date }) {
  return (
    <Alert kind="danger">
      <p class="mb-2">
        {rich(
          "An administrator of this Watchpost removes your second factor, because it is lost. It ends at {time}.",
          { time: <ExactTime date={at} /> },
        )}
      </p>
      <form method="post">
        <Button name="action" value="keep-factors" size="sm">{t("Cancel it")}</Button>
      </form>
    </Alert>
  );
}
