/** The mail with the link of an invitation. */
import type { Invite } from "../accounts/invites.ts";
import type { Organization } from "../accounts/organizations.ts";
import { sha256 } from "../accounts/secrets.ts";
import { findUser, findUserByEmail } from "../accounts/users.ts";
import { letterOf, MailFailure, sendMail } from "../alerts/mod.ts";
import type { Config } from "../core/config.ts";
import { InvalidInput } from "../core/errors.ts";
import { currentLanguage, t } from "../core/language/translate.ts";
import { inLanguage } from "../core/request_scope.ts";
import { SECOND_MS } from "../core/time.ts";

/** Somebody waits for the page. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** Where the link of an invitation leads; the page takes its token out of the address at once. */
export function inviteLink({ baseUrl }: Pick<Config, "baseUrl">, token: string): string {
  return `${baseUrl}/join?invite=${token}`;
}

/**
 * Sends the link of an invitation to its address, in the language of the account that the address has, or else in that of
 * whoever invites. It goes out at once and is kept nowhere, unlike other mails: its link is a secret.
 *
 * @throws {InvalidInput} when this instance sends no mail, or its mail server does not take it
 */
export async function mailInvite(
  { kv, config }: { readonly kv: Deno.Kv; readonly config: Pick<Config, "baseUrl" | "smtp"> },
  organization: Organization,
  invite: Invite,
  token: string,
): Promise<void> {
  if (config.smtp === null) {
    throw new InvalidInput("way", t("This Watchpost sends no mail: make a link and hand it over."));
  }
  const [reader, inviter] = await Promise.all([
    findUserByEmail(kv, invite.email),
    findUser(kv, invite.invitedBy),
  ]);
  const language = reader?.language ?? currentLanguage();
  const mail = inLanguage({ language }, () => {
    const values = { organization: organization.name, name: inviter?.name ?? "" };
    return letterOf({
      to: invite.email,
      subject: t("Join {organization} on Watchpost", values),
      blocks: [
        t("{name} invites you to {organization} on Watchpost.", values),
        t("The link holds for seven days and works once. If you do not know what this is about, do nothing."),
      ],
      link: { label: t("Join {organization}", values), url: inviteLink(config, token) },
      id: sha256(`invite/${sha256(token)}`).slice(0, 32),
      baseUrl: config.baseUrl,
      unsubscribe: null,
    });
  });
  try {
    await sendMail(config.smtp, mail, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    throw new InvalidInput(
      "way",
      t("The mail could not be sent: make a link below and hand it over, or try again later."),
    );
  }
}
