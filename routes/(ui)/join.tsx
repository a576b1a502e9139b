import { roleLabel } from "@/lib/accounts/roles.ts";
import { page } from "fresh";
import { acceptInvite, addressProblem, joinAsNewUser } from "@/lib/accounts/accept_invite.ts";
import { findShownInvite, type OpenInvite } from "@/lib/accounts/invites.ts";
import { organizationsOpenTo } from "@/lib/accounts/join_policy.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { sha256 } from "@/lib/accounts/secrets.ts";
import type { User } from "@/lib/accounts/users.ts";
import { t } from "@/lib/core/language/translate.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { PublicPage } from "@/lib/ui/components/page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import { AccountFields, roleHelp } from "@/lib/projects/members.tsx";
import { define, type State } from "@/lib/server/define.ts";
import {
  loadProviderButtons,
  type ProviderButton,
  ProviderButtons,
} from "@/lib/server/providers/provider_buttons.tsx";
import { requireLocalSignIn, signInPolicy } from "@/lib/accounts/providers/policy.ts";
import { clearedInviteCookie, inviteCookie, readInviteToken } from "@/lib/server/invite_cookie.ts";
import { completeSignIn } from "@/lib/server/sign_in.ts";

interface JoinData {
  /** Null when there is no link, or it does not hold. */
  readonly open: OpenInvite | null;
  /** Which link the page is about: another one may be opened in another tab meanwhile. */
  readonly link: string;
  /** Who is signed in. */
  readonly user: User | null;
  readonly isMember: boolean;
  /** What else one may sign in with. */
  readonly providers: readonly ProviderButton[];
  /** New accounts have no password here. */
  readonly isProviderOnly: boolean;
  /** Those that let the person in by their address; shown where no invitation is. */
  readonly openTo: readonly Organization[];
  readonly values: { readonly email: string; readonly name: string };
  readonly errors: FormErrors;
}

type Asked = JoinData & { readonly open: OpenInvite };

/** Where the link of an invitation leads. Only the button does something: scanners of mail open links. */
export default define.page<typeof handler>(({ data }) => {
  const { open } = data;
  if (open === null) return <NoInvite openTo={data.openTo} />;
  const { organization: { name }, invite: { role } } = open;
  return (
    <PublicPage
      title={t("Join {organization}", { organization: name })}
      description={`${t("As {role}.", { role: roleLabel(role) })} ${roleHelp(role)}`}
    >
      <FormSummary errors={data.errors} />
      {data.user === null ? <NewAccount {...data} open={open} /> : <Join {...data} open={open} />}
    </PublicPage>
  );
});

/** The same for links that were guessed, used, withdrawn, and that are too old. */
function NoInvite({ openTo }: Pick<JoinData, "openTo">) {
  return (
    <PublicPage title={t("This invitation does not hold any more")}>
      <p>{t("It was used, withdrawn, or is older than seven days. Ask for a new one.")}</p>
      {openTo.map(({ id, slug, name }) => (
        <p key={id} class="mt-3 wrap-anywhere">
          <a class="link" href={`/join/${slug}`}>
            {t("Join {organization}", { organization: name })}
          </a>
        </p>
      ))}
      <div class="mt-5">
        <LinkButton href="/projects" kind="primary">{t("Go to Watchpost")}</LinkButton>
      </div>
    </PublicPage>
  );
}

function Join({ link, open: { invite, organization }, user, isMember }: Asked) {
  if (user === null) return null;
  if (isMember) {
    return (
      <>
        <p>
          {t("You are a member of {organization} already.", { organization: organization.name })}
        </p>
        <div class="mt-5">
          <LinkButton href="/projects" kind="primary">{t("Go to the projects")}</LinkButton>
        </div>
      </>
    );
  }
  const { email } = user;
  const problem = addressProblem(invite, email);
  if (problem !== null) {
    return (
      <>
        <p class="wrap-anywhere">{problem} {t("You are signed in as {email}.", { email })}</p>
        <form method="post" action="/sign-out" class="mt-5">
          <Button kind="primary">{t("Sign out")}</Button>
        </form>
      </>
    );
  }
  return (
    <form method="post" action="/join" class="mt-1 space-y-4">
      <input type="hidden" name="link" value={link} />
      <p class="wrap-anywhere">
        {email === invite.email
          ? t("You are signed in as {email}.", { email })
          : t("{invited} was invited; you are signed in as {email}. Join with this account?", {
            invited: invite.email,
            email,
          })}
      </p>
      <p class="text-sm text-muted">{t("Its members then see your name and your email.")}</p>
      <Button kind="primary" class="w-full">
        {t("Join {organization}", { organization: organization.name })}
      </Button>
    </form>
  );
}

function NewAccount({ link, open: { invite }, values, errors, ...ways }: Asked) {
  const { providers, isProviderOnly } = ways;
  if (isProviderOnly) return <ProviderButtons providers={providers} next="/join" />;
  return (
    <>
      <p class="mb-4">
        {t("You have an account?")} <a href="/sign-in?next=%2Fjoin" class="link">{t("Sign in")}</a>
        {". "}
        {invite.onlyThisAddress
          ? t("Or make one with {email}:", { email: invite.email })
          : t("Or make one:")}
      </p>
      <form method="post" action="/join" class="space-y-4">
        <input type="hidden" name="link" value={link} />
        <AccountFields values={values} errors={errors} />
        <Button kind="primary" class="w-full">{t("Create account and join")}</Button>
      </form>
      <ProviderButtons providers={providers} next="/join" hasOther />
    </>
  );
}

export const handler = define.handlers<JoinData>({
  async GET(ctx) {
    const shown = ctx.url.searchParams.get("invite");
    if (shown !== null) return kept(ctx.state, shown);
    const data = await load(ctx);
    const values = { email: data.open?.invite.email ?? "", name: "" };
    return show({ ...data, values, errors: {} }, 200);
  },

  async POST(ctx) {
    const form = await readForm(ctx.req);
    const data = await load(ctx);
    const values = { email: fieldOf(form, "email"), name: fieldOf(form, "name") };
    const asked = { ...data, values, errors: {} };
    // Of another link than the page showed, the page is shown first.
    if (data.open === null || fieldOf(form, "link") !== data.link) return show(asked, 422);
    const token = readInviteToken(ctx.req) ?? "";
    const { services: { kv, config } } = ctx.state;
    const password = form.get("password") ?? "";
    const joined = await attempt(async () => {
      if (data.user === null) {
        if (data.isProviderOnly) await requireLocalSignIn(kv, config, values);
        return await joinAsNewUser(kv, token, { ...values, password });
      }
      await acceptInvite(kv, token, data.user.id);
      return null;
    });
    if (!joined.ok) return show({ ...asked, errors: joined.errors }, 422);
    const welcome = redirectWithFlash(
      "/projects",
      t("Welcome to {organization}.", { organization: data.open.organization.name }),
    );
    const response = joined.value === null
      ? new Response(null, { status: 303, headers: { location: "/projects" } })
      : await completeSignIn(ctx, { user: joined.value, method: "invite" }, "/projects");
    for (const cookie of welcome.headers.getSetCookie()) {
      response.headers.append("set-cookie", cookie);
    }
    response.headers.append("set-cookie", clearedInviteCookie(config));
    return response;
  },
});

/** Takes the token out of the address: what is in the history is then of no use. */
function kept({ services: { config } }: State, token: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...PRIVATE, location: "/join", "set-cookie": inviteCookie(token, config) },
  });
}

async function load({ req, state }: { readonly req: Request; readonly state: State }) {
  const { services: { kv }, actor, meta, clientAddress } = state;
  meta.title = t("Join");
  const token = readInviteToken(req);
  const open = token === null ? null : await findShownInvite(kv, token, clientAddress);
  const user = actor.kind === "user" ? actor.user : null;
  const isMember = open !== null && user !== null &&
    await roleOf(kv, open.organization.id, user.id) !== null;
  const [providers, { isProviderOnly }] = await Promise.all([
    loadProviderButtons(kv),
    signInPolicy(kv),
  ]);
  const openTo = open === null && user !== null ? await organizationsOpenTo(kv, user) : [];
  const link = sha256(`link/${token}`).slice(0, 16);
  return { open, link, user, isMember, providers, isProviderOnly, openTo };
}

/** Nobody keeps a page that a secret opened, and the next page is not told of it. */
const PRIVATE = { "cache-control": "no-store", "referrer-policy": "no-referrer" };

/** 410 for a link that does not hold. */
function show(data: JoinData, status: number) {
  return page(data, { status: data.open === null ? 410 : status, headers: PRIVATE });
}
