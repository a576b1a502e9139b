import { page } from "fresh";
import {
  acceptInvite,
  findInvite,
  joinAsNewUser,
  type OpenInvite,
} from "../../lib/accounts/invites.ts";
import { roleOf } from "../../lib/accounts/members.ts";
import { startSession } from "../../lib/accounts/sessions.ts";
import type { User } from "../../lib/accounts/users.ts";
import { Button, LinkButton } from "../../lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import { AccountFields, ROLE_HELP } from "../../lib/projects/members.tsx";
import { define, type State } from "../../lib/server/define.ts";
import { sessionCookie } from "../../lib/server/session.ts";

interface JoinData {
  readonly token: string;
  /** Null when the link does not hold. */
  readonly open: OpenInvite | null;
  /** Who is signed in. */
  readonly user: User | null;
  readonly isMember: boolean;
  readonly values: { readonly email: string; readonly name: string };
  readonly errors: FormErrors;
}

type Asked = JoinData & { readonly open: OpenInvite };

/** Where the link of an invitation leads. Only the button does something: scanners of mail open links. */
export default define.page<typeof handler>(({ data }) => {
  const { open } = data;
  if (open === null) return <NoInvite />;
  return (
    <PublicPage
      title={`Join ${open.organization.name}`}
      description={`As ${open.invite.role}. ${ROLE_HELP[open.invite.role]}`}
    >
      <FormSummary errors={data.errors} />
      {data.user === null ? <NewAccount {...data} open={open} /> : <Join {...data} open={open} />}
    </PublicPage>
  );
});

function NoInvite() {
  return (
    <PublicPage title="This invitation does not hold any more">
      <p>It was used, withdrawn, or is older than seven days. Ask for a new one.</p>
      <div class="mt-5">
        <LinkButton href="/projects" kind="primary">Go to Watchpost</LinkButton>
      </div>
    </PublicPage>
  );
}

function Join({ token, open: { invite, organization }, user, isMember }: Asked) {
  if (isMember) {
    return (
      <>
        <p>You are a member of {organization.name} already.</p>
        <div class="mt-5">
          <LinkButton href="/projects" kind="primary">Go to the projects</LinkButton>
        </div>
      </>
    );
  }
  return (
    <form method="post" action="/join" class="mt-1 space-y-4">
      <input type="hidden" name="invite" value={token} />
      <p class="wrap-anywhere">
        {user?.email === invite.email
          ? `You are signed in as ${user.email}.`
          : `${invite.email} was invited; you are signed in as ${user?.email}. Join with this account?`}
      </p>
      <p class="text-sm text-muted">Its members then see your name and your mail address.</p>
      <Button kind="primary" class="w-full">Join {organization.name}</Button>
    </form>
  );
}

function NewAccount({ token, values, errors }: Asked) {
  const here = `/join?invite=${encodeURIComponent(token)}`;
  return (
    <>
      <p class="mb-4">
        <a href={`/sign-in?next=${encodeURIComponent(here)}`} class="link">Sign in</a>{" "}
        if you have an account, or make one:
      </p>
      <form method="post" action="/join" class="space-y-4">
        <input type="hidden" name="invite" value={token} />
        <AccountFields values={values} errors={errors} />
        <Button kind="primary" class="w-full">Create account and join</Button>
      </form>
    </>
  );
}

export const handler = define.handlers<JoinData>({
  async GET(ctx) {
    const token = ctx.url.searchParams.get("invite") ?? "";
    const data = await load(ctx.state, token);
    const values = { email: data.open?.invite.email ?? "", name: "" };
    return show({ ...data, values, errors: {} }, 200);
  },

  async POST(ctx) {
    const form = await readForm(ctx.req);
    const data = await load(ctx.state, fieldOf(form, "invite"));
    const values = { email: fieldOf(form, "email"), name: fieldOf(form, "name") };
    if (data.open === null) return show({ ...data, values, errors: {} }, 200);
    const password = form.get("password") ?? "";
    const joined = await join(ctx.state, data, { ...values, password });
    if (!joined.ok) return show({ ...data, values, errors: joined.errors }, 422);
    const response = redirectWithFlash("/projects", `Welcome to ${data.open.organization.name}.`);
    if (joined.value !== null) response.headers.append("set-cookie", joined.value);
    return response;
  },
});

/** Answers with the cookie of a new account's session, or null for who is signed in. */
function join(
  { services: { kv, config } }: State,
  { token, user }: Pick<JoinData, "token" | "user">,
  input: { readonly email: string; readonly name: string; readonly password: string },
) {
  return attempt(async () => {
    if (user !== null) {
      await acceptInvite(kv, token, user.id);
      return null;
    }
    const made = await joinAsNewUser(kv, token, input);
    return sessionCookie((await startSession(kv, made.id, { method: "invite" })).token, config);
  });
}

async function load({ services: { kv }, actor, meta }: State, token: string) {
  meta.title = "Join";
  const open = await findInvite(kv, token);
  const user = actor.kind === "user" ? actor.user : null;
  const isMember = open !== null && user !== null &&
    await roleOf(kv, open.organization.id, user.id) !== null;
  return { token, open, user, isMember };
}

/** 410 for a link that does not hold; nobody keeps a page whose address is a secret. */
function show(data: JoinData, status: number) {
  return page(data, {
    status: data.open === null ? 410 : status,
    headers: { "cache-control": "no-store" },
  });
}
