import {
  changePassword,
  MIN_PASSWORD_LENGTH,
  renameUser,
  type User,
} from "../../lib/accounts/users.ts";
import { startSession } from "../../lib/accounts/sessions.ts";
import { Button } from "../../lib/ui/components/button.tsx";
import { ExactTime } from "../../lib/ui/components/values.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { Page, PageHeader } from "../../lib/ui/components/page.tsx";
import { Panel } from "../../lib/ui/components/panel.tsx";
import { ThemeForm } from "../../lib/ui/components/rail.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import { formatDuration } from "../../lib/ui/format.ts";
import { loadShell } from "../../lib/server/shell.tsx";
import type { Shell } from "../../lib/ui/shell.ts";
import { define, type State } from "../../lib/server/define.ts";
import { formHandlers } from "../../lib/server/form_handlers.ts";
import { requireUser } from "../../lib/accounts/authorize.ts";
import { sessionCookie } from "../../lib/server/session.ts";

interface AccountData {
  readonly shell: Shell;
  readonly user: User;
  readonly name: string;
  /** The form that was refused. */
  readonly refused: "name" | "password" | null;
  readonly errors: FormErrors;
}

export default define.page<typeof handler>(({ data: { shell, user, name, refused, errors } }) => (
  <Page shell={shell} crumbs={[{ label: "Account" }]} width="narrow">
    <PageHeader title="Account" />
    <div class="space-y-6">
      <Panel title="You">
        <dl class="mb-4 grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
          <dt class="text-muted">Mail address</dt>
          <dd class="wrap-anywhere">{user.email}</dd>
          <dt class="text-muted">Account since</dt>
          <dd>
            <ExactTime date={user.createdAt} />
          </dd>
        </dl>
        <NameForm name={name} errors={refused === "name" ? errors : {}} />
      </Panel>
      <PasswordForm email={user.email} errors={refused === "password" ? errors : {}} />
      <Panel title="Notifications" description="Mails about issues, and a weekly report.">
        <a class="link" href="/account/notifications">Choose what you are told of</a>
      </Panel>
      <Panel title="Theme" description="Kept in this browser.">
        <div class="max-w-xs">
          <ThemeForm theme={shell.theme} path="/account" />
        </div>
      </Panel>
    </div>
  </Page>
));

function NameForm({ name, errors }: { readonly name: string; readonly errors: FormErrors }) {
  return (
    <form method="post" class="max-w-md space-y-4">
      <FormSummary errors={errors} />
      <Field
        name="name"
        label="Name"
        value={name}
        error={errors.name}
        maxLength={64}
        autocomplete="name"
        required
      />
      <Button name="action" value="rename">Save name</Button>
    </form>
  );
}

function PasswordForm({ email, errors }: { readonly email: string; readonly errors: FormErrors }) {
  return (
    <Panel
      title="Password"
      description="Changing it ends your sessions in all other browsers."
    >
      <form method="post" class="max-w-md space-y-4">
        <FormSummary errors={errors} />
        {/* Tells password managers whose password this is. */}
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <Field
          name="current"
          label="Current password"
          type="password"
          autocomplete="current-password"
          error={errors.current}
          required
        />
        <Field
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          help={`At least ${MIN_PASSWORD_LENGTH} characters, such as four or five unrelated words.`}
          error={errors.password}
          required
        />
        <Button name="action" value="password" kind="primary">Change password</Button>
      </form>
    </Panel>
  );
}

export const handler = formHandlers<AccountData>(async (ctx) => {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = "Account";
  return { shell: await loadShell(ctx), user, name: user.name, refused: null, errors: {} };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const form = await readForm(ctx.req);
  const isRename = form.get("action") === "rename";
  const result = isRename
    ? await rename(ctx.state, user, form)
    : await setPassword(ctx.state, user, form);
  if (result instanceof Response) return result;
  return {
    changes: {
      name: isRename ? fieldOf(form, "name") : user.name,
      refused: isRename ? "name" : "password",
      errors: result,
    },
  };
});

async function rename(
  { services: { kv } }: State,
  user: User,
  form: URLSearchParams,
): Promise<Response | FormErrors> {
  const result = await attempt(async () => await renameUser(kv, user.id, fieldOf(form, "name")));
  return result.ok ? redirectWithFlash("/account", "Your name is changed.") : result.errors;
}

async function setPassword(
  { services: { kv, config } }: State,
  user: User,
  form: URLSearchParams,
): Promise<Response | FormErrors> {
  const errors = await change(kv, user, form);
  if (errors !== null) return errors;
  // All sessions ended, this one too: it goes on with a new token.
  const { token } = await startSession(kv, user.id, { method: "password" });
  const response = redirectWithFlash(
    "/account",
    "Your password is changed. Your other sessions have ended.",
  );
  response.headers.append("set-cookie", sessionCookie(token, config));
  return response;
}

async function change(kv: Deno.Kv, user: User, form: URLSearchParams): Promise<FormErrors | null> {
  const [current, next] = [form.get("current") ?? "", form.get("password") ?? ""];
  const result = await attempt(() => changePassword(kv, user.id, current, next));
  if (!result.ok) return result.errors;
  if (result.value.ok) return null;
  if (result.value.reason === "wrong") return { current: "This is not your current password." };
  const wait = formatDuration(result.value.retryAfterSec * 1000);
  return { "": `Too many attempts. Try again in ${wait}.` };
}
