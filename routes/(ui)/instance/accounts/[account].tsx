import { HttpError } from "fresh";
import { cancelRemoval, planRemoval } from "@/lib/accounts/factor_removal.ts";
import { makeLink } from "@/lib/accounts/mail_links.ts";
import {
  deleteAccount,
  endAllSessions,
  setDisabled,
  setEmail,
} from "@/lib/accounts/manage_accounts.ts";
import { findUser, type User } from "@/lib/accounts/users.ts";
import { t } from "@/lib/core/language/translate.ts";
import { tellAccount } from "@/lib/notifications/mod.ts";
import {
  AccountPanels,
  type AccountView,
  loadAccountView,
} from "@/lib/server/account/managed_account.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { requireInstanceAdmin } from "@/lib/server/require_instance_admin.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { checkConfirmation, CONFIRM_FIELD, type FormErrors } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { InstancePage } from "@/lib/ui/tabbed_pages.tsx";
import type { Shell } from "@/lib/ui/shell.ts";

interface AccountData extends AccountView {
  readonly shell: Shell;
  /** A link to a new password, this once. */
  readonly link: string | null;
  readonly errors: FormErrors;
}

/** One account, and what an administrator can do with it. */
export default define.page<typeof handler>(({ data }) => (
  <InstancePage shell={data.shell} tab="accounts">
    <AccountPanels {...data} />
  </InstancePage>
));

interface Acting {
  readonly ctx: Asking;
  readonly by: User;
  readonly user: User;
  readonly form: URLSearchParams;
}

type Outcome = Response | { readonly link: string } | { readonly errors: FormErrors };

const ACTIONS: Readonly<Record<string, (acting: Acting) => Promise<Outcome>>> = {
  async sessions({ ctx, user }) {
    await endAllSessions(ctx.state.services.kv, user);
    return redirectWithFlash(pathOf(user), t("All sessions of {email} ended.", user));
  },

  async disable({ ctx, by, user }) {
    const result = await attempt(() => setDisabled(ctx.state.services.kv, by, user.id, true));
    if (!result.ok) return result;
    return redirectWithFlash(pathOf(user), t("{email} is disabled.", user));
  },

  async enable({ ctx, by, user }) {
    const result = await attempt(() => setDisabled(ctx.state.services.kv, by, user.id, false));
    if (!result.ok) return result;
    return redirectWithFlash(pathOf(user), t("{email} is enabled.", user));
  },

  async link({ ctx, user }) {
    const { kv, config } = ctx.state.services;
    const { id: userId, email } = user;
    const token = await makeLink(kv, { purpose: "handed-reset", userId, email });
    return { link: `${config.baseUrl}/reset-password?token=${token}` };
  },

  async email({ ctx, user, form }) {
    const result = await attempt(() =>
      setEmail(ctx.state.services.kv, user.id, fieldOf(form, "email"))
    );
    if (!result.ok) return result;
    return redirectWithFlash(pathOf(user), t("The email is changed."));
  },

  async factors({ ctx, user }) {
    const { services } = ctx.state;
    const at = await planRemoval(services.kv, user);
    await tellAccount(services, user, { kind: "factor-reset", at });
    return redirectWithFlash(pathOf(user), t("The second factor ends in 24 hours."));
  },

  async "keep-factors"({ ctx, user }) {
    await cancelRemoval(ctx.state.services.kv, user);
    return redirectWithFlash(pathOf(user), t("The second factor stays."));
  },

  async delete({ ctx, by, user, form }) {
    const problem = checkConfirmation(form, user.email);
    if (problem !== null) return { errors: { [CONFIRM_FIELD]: problem } };
    const result = await attempt(() => deleteAccount(ctx.state.services.kv, by, user.id));
    if (!result.ok) return result;
    return redirectWithFlash("/instance/accounts", t("{email} is deleted.", user));
  },
};

function pathOf({ id }: User): string {
  return `/instance/accounts/${id}`;
}

async function requireAccount(ctx: Asking): Promise<User> {
  const user = await findUser(ctx.state.services.kv, ctx.params.account ?? "");
  if (user === null || user.deletedAt !== undefined) {
    throw new HttpError(404, t("There is no such account."));
  }
  return user;
}

export const handler = formHandlers<AccountData>(async (ctx) => {
  const by = requireInstanceAdmin(ctx.state);
  const user = await requireAccount(ctx);
  ctx.state.meta.title = user.email;
  const view = await loadAccountView(ctx.state.services.kv, user, by);
  return { shell: await loadShell(ctx), ...view, link: null, errors: {} };
}, async (ctx) => {
  const by = requireInstanceAdmin(ctx.state);
  const user = await requireAccount(ctx);
  requireRecent(ctx);
  const form = await readForm(ctx.req);
  const outcome = await actionOf(ACTIONS, form)({ ctx, by, user, form });
  if (outcome instanceof Response) return outcome;
  if ("errors" in outcome) return { changes: { errors: outcome.errors } };
  return { changes: { link: outcome.link }, status: 200, headers: { "cache-control": "no-store" } };
});
