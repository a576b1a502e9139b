import { page } from "fresh";
import { claimInstance, type ClaimResult, needsSetup } from "../../lib/accounts/setup.ts";
import { AccountFields } from "../../lib/projects/members.tsx";
import { Button, LinkButton } from "../../lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../lib/ui/components/fields.tsx";
import { PublicPage } from "../../lib/ui/components/page.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import { t } from "../../lib/core/language/translate.ts";
import { formatDuration } from "../../lib/ui/format.ts";
import { define } from "../../lib/server/define.ts";
import { completeSignIn } from "../../lib/server/sign_in.ts";

interface Values {
  readonly code: string;
  readonly organizationName: string;
  readonly name: string;
  readonly email: string;
}

interface SignUpData {
  /** False once somebody has claimed the instance. */
  readonly isOpen: boolean;
  readonly values: Values;
  readonly errors: FormErrors;
}

const EMPTY: Values = { code: "", organizationName: "", name: "", email: "" };

export default define.page<typeof handler>(({ data }) =>
  data.isOpen ? <FirstAccount {...data} /> : <Closed />
);

function FirstAccount({ values, errors }: SignUpData) {
  return (
    <PublicPage
      title={t("Create the first account")}
      description={t("You become the administrator of this Watchpost.")}
    >
      <form method="post" class="space-y-4">
        <FormSummary errors={errors} />
        <Field
          name="code"
          label={t("Setup code")}
          value={values.code}
          error={errors.code}
          help={t("The console where Watchpost was started printed it, such as 7KQ4-M2XP-9TRD.")}
          autocomplete="off"
          placeholder="XXXX-XXXX-XXXX"
          mono
          required
          autofocus
        />
        <Field
          name="organizationName"
          label={t("Organization")}
          value={values.organizationName}
          error={errors.organizationName}
          help={t("Your company or team. Projects and members belong to it.")}
          autocomplete="organization"
          required
        />
        <AccountFields values={values} errors={errors} />
        <Button kind="primary" class="w-full">{t("Create account")}</Button>
      </form>
    </PublicPage>
  );
}

function Closed() {
  return (
    <PublicPage title={t("This Watchpost is set up")}>
      <p>
        {t(
          "The setup code has done its work. An administrator of your organization can invite you under Organization settings, Members.",
        )}
      </p>
      <div class="mt-5">
        <LinkButton href="/sign-in" kind="primary">{t("Sign in")}</LinkButton>
      </div>
    </PublicPage>
  );
}

export const handler = define.handlers<SignUpData>({
  async GET(ctx) {
    if (ctx.state.actor.kind === "user") return ctx.redirect("/projects", 303);
    ctx.state.meta.title = t("Create the first account");
    const isOpen = await needsSetup(ctx.state.services.kv);
    return page({ isOpen, values: EMPTY, errors: {} });
  },

  async POST(ctx) {
    const { services: { kv }, clientAddress: address } = ctx.state;
    ctx.state.meta.title = t("Create the first account");
    const form = await readForm(ctx.req);
    const values = {
      code: fieldOf(form, "code"),
      organizationName: fieldOf(form, "organizationName"),
      name: fieldOf(form, "name"),
      email: fieldOf(form, "email"),
    };
    const password = form.get("password") ?? "";
    const result = await attempt(() => claimInstance(kv, { ...values, password, address }));
    if (!result.ok) return page({ isOpen: true, values, errors: result.errors }, { status: 422 });
    if (!result.value.ok) return refuse(result.value, values);
    const { user } = result.value;
    const response = await completeSignIn(ctx, { user, method: "setup" }, "/projects/new");
    const welcome = redirectWithFlash(
      "/projects/new",
      t("Welcome to Watchpost, {name}. Create your first project.", { name: user.name }),
    );
    response.headers.append("set-cookie", welcome.headers.get("set-cookie") ?? "");
    return response;
  },
});

function refuse(result: Extract<ClaimResult, { ok: false }>, values: Values) {
  if (result.reason === "limited") {
    const time = formatDuration(result.retryAfterSec * 1000);
    return page<SignUpData>(
      {
        isOpen: true,
        values,
        errors: { "": t("Too many attempts. Try again in {time}.", { time }) },
      },
      { status: 429, headers: { "retry-after": String(result.retryAfterSec) } },
    );
  }
  if (result.reason === "claimed") {
    return page<SignUpData>({ isOpen: false, values, errors: {} }, { status: 409 });
  }
  const errors = { code: t("This is not the code that the console printed.") };
  return page<SignUpData>({ isOpen: true, values, errors }, { status: 422 });
}
