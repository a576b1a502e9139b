import { requireUser } from "../../lib/accounts/authorize.ts";
import { beginEmailChange } from "../../lib/accounts/email_change.ts";
import { makeLink } from "../../lib/accounts/mail_links.ts";
import { renameUser, type User } from "../../lib/accounts/users.ts";
import { t } from "../../lib/core/language/translate.ts";
import { tellAccount } from "../../lib/notifications/mod.ts";
import { EmailPanel, NamePanel } from "../../lib/server/account/profile_panels.tsx";
import { define, type State } from "../../lib/server/define.ts";
import { type Asking, formHandlers } from "../../lib/server/form_handlers.ts";
import { requireRecent } from "../../lib/server/recent_proof.ts";
import { loadShell } from "../../lib/server/shell.tsx";
import { AccountPage } from "../../lib/ui/tabbed_pages.tsx";
import type { FormErrors } from "../../lib/ui/components/fields.tsx";
import { Panel } from "../../lib/ui/components/panel.tsx";
import { ThemeForm } from "../../lib/ui/components/rail.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import type { Shell } from "../../lib/ui/shell.ts";

interface AccountData {
  readonly shell: Shell;
  readonly user: User;
  readonly name: string;
  readonly email: string;
  /** Whether this instance sends mail. */
  readonly hasMail: boolean;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data }) => (
  <AccountPage shell={data.shell} tab="profile">
    <NamePanel {...data} />
    <EmailPanel {...data} />
    <Panel title={t("Theme")} description={t("Kept in this browser.")}>
      <div class="max-w-xs">
        <ThemeForm theme={data.shell.theme} path="/account" label={t("Theme of this browser")} />
      </div>
    </Panel>
  </AccountPage>
));

type Act = (ctx: Asking, user: User, form: URLSearchParams) => Promise<Response | FormErrors>;

const ACTIONS: Readonly<Record<string, Act>> = {
  async rename({ state: { services: { kv } } }, user, form) {
    const result = await attempt(() => renameUser(kv, user.id, fieldOf(form, "name")));
    return result.ok ? redirectWithFlash("/account", t("Your name is changed.")) : result.errors;
  },

  async email(ctx, user, form) {
    requireRecent(ctx);
    const { services } = ctx.state;
    if (services.config.smtp === null) return { email: noMail() };
    const email = fieldOf(form, "email");
    const result = await attempt(() => beginEmailChange(services.kv, user, email));
    if (!result.ok) return result.errors;
    if (result.value !== null) await tellOfChange(services, user, result.value);
    return redirectWithFlash(
      "/account",
      t("A link is on its way to {email}. Your email changes once you open it.", { email }),
    );
  },

  async verify({ state: { services } }, user) {
    if (services.config.smtp === null) return { email: noMail() };
    const { id: userId, email } = user;
    const token = await makeLink(services.kv, { purpose: "verify-email", userId, email });
    await tellAccount(services, user, {
      kind: "verify-email",
      path: `/email/verify?token=${token}`,
    });
    return redirectWithFlash("/account", t("A link is on its way to {email}.", { email }));
  },
};

/** The new email gets the link that changes it, the former one the link that undoes it. */
async function tellOfChange(
  services: State["services"],
  user: User,
  { email, token, undoToken }: { email: string; token: string; undoToken: string },
): Promise<void> {
  const path = `/email/change?token=${token}`;
  await tellAccount(services, user, { kind: "change-email", path }, email);
  const undo = `/email/undo?token=${undoToken}`;
  await tellAccount(services, user, { kind: "email-changes", email, path: undo });
}

function noMail(): string {
  return t("This Watchpost sends no email. Its administrator can change your email.");
}

export const handler = formHandlers<AccountData>(async (ctx) => {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = t("Account");
  const hasMail = ctx.state.services.config.smtp !== null;
  const { name, email } = user;
  return { shell: await loadShell(ctx), user, name, email, hasMail, errors: {} };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const form = await readForm(ctx.req);
  const result = await actionOf(ACTIONS, form)(ctx, user, form);
  if (result instanceof Response) return result;
  const name = form.has("name") ? fieldOf(form, "name") : user.name;
  const email = form.has("email") ? fieldOf(form, "email") : user.email;
  return { changes: { name, email, errors: result } };
});
