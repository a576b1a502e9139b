import { page } from "fresh";
import { endSession, signIn, type SignInResult } from "../../lib/accounts/sessions.ts";
import { needsSetup } from "../../lib/accounts/setup.ts";
import { Button } from "../../lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { fieldOf, localPath, readForm } from "../../lib/ui/form.ts";
import { formatDuration } from "../../lib/ui/format.ts";
import { define } from "../../lib/server/define.ts";
import { deviceCookie, readDeviceToken, sessionCookie } from "../../lib/server/session.ts";

interface SignInData {
  readonly next: string;
  readonly email: string;
  readonly errors: FormErrors;
  /** Nobody has an account yet. */
  readonly isFresh: boolean;
}

export default define.page<typeof handler>(({ data }) => (
  <PublicPage title="Sign in">
    <form method="post" action="/sign-in" class="space-y-4">
      <FormSummary errors={data.errors} />
      <input type="hidden" name="next" value={data.next} />
      <Field
        name="email"
        label="Mail address"
        type="email"
        value={data.email}
        autocomplete="username"
        required
        autofocus={data.email === ""}
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        required
        autofocus={data.email !== ""}
      />
      <Button kind="primary" class="w-full">Sign in</Button>
    </form>
    <p class="mt-5 text-sm text-muted">
      {data.isFresh
        ? (
          <>
            Nobody has an account yet. <a href="/sign-up" class="link">Create the first one</a>{" "}
            with the setup code that the console printed.
          </>
        )
        : "No account? An administrator of your organization can invite you."}
    </p>
  </PublicPage>
));

export const handler = define.handlers<SignInData>({
  async GET(ctx) {
    const next = localPath(ctx.url.searchParams.get("next"), "/projects");
    if (ctx.state.actor.kind === "user") return ctx.redirect(next, 303);
    ctx.state.meta.title = "Sign in";
    const isFresh = await needsSetup(ctx.state.services.kv);
    return page({ next, email: "", errors: {}, isFresh });
  },

  async POST(ctx) {
    const { services, clientAddress: address } = ctx.state;
    const form = await readForm(ctx.req);
    const next = localPath(form.get("next"), "/projects");
    const email = fieldOf(form, "email");
    const password = form.get("password") ?? "";
    const device = readDeviceToken(ctx.req, services.config);
    const result = await signIn(services.kv, { email, password, address, device });
    if (result.ok) {
      // A new session for every sign-in: the one before must not live on in somebody's hands.
      if (ctx.state.sessionToken !== null) await endSession(services.kv, ctx.state.sessionToken);
      const response = new Response(null, { status: 303, headers: { location: next } });
      response.headers.append("set-cookie", sessionCookie(result.token, services.config));
      response.headers.append("set-cookie", deviceCookie(result.device, services.config));
      return response;
    }
    ctx.state.meta.title = "Sign in";
    const isFresh = await needsSetup(services.kv);
    return refuse(result, { next, email, isFresh });
  },
});

function refuse(
  result: SignInResult & { ok: false },
  data: Omit<SignInData, "errors">,
) {
  if (result.reason === "wrong") {
    const errors = { "": "The mail address or the password is wrong." };
    return page<SignInData>({ ...data, errors }, { status: 422 });
  }
  const wait = formatDuration(result.retryAfterSec * 1000);
  const errors = { "": `Too many attempts. Try again in ${wait}.` };
  const headers = { "retry-after": String(result.retryAfterSec) };
  return page<SignInData>({ ...data, errors }, { status: 429, headers });
}
