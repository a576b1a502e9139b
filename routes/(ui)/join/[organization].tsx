import { page } from "fresh";
import { requireUser } from "@/lib/accounts/authorize.ts";
import { joinByDomain, joinPolicyOf, letsIn } from "@/lib/accounts/join_policy.ts";
import { askToJoin } from "@/lib/accounts/join_requests.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import { findOrganizationBySlug, type Organization } from "@/lib/accounts/organizations.ts";
import type { User } from "@/lib/accounts/users.ts";
import { Denied } from "@/lib/core/errors.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define, type State } from "@/lib/server/define.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { PublicPage } from "@/lib/ui/components/page.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt } from "@/lib/ui/form.ts";

interface AskData {
  readonly organization: Organization;
  readonly user: User;
  /** By the domain of their address; otherwise they ask. */
  readonly mayJoin: boolean;
  readonly isAsked: boolean;
  readonly errors: FormErrors;
}

/** Where somebody with an account gets into an organization that lets them, or asks to. */
export default define.page<typeof handler>(({ data }) => {
  const { organization: { name }, user: { email }, mayJoin, isAsked, errors } = data;
  if (isAsked) {
    return (
      <PublicPage title={t("You have asked")}>
        <p>
          {t("Those who may invite to {organization} see it and decide.", { organization: name })}
        </p>
        <div class="mt-5">
          <LinkButton href="/projects" kind="primary">{t("Go to Watchpost")}</LinkButton>
        </div>
      </PublicPage>
    );
  }
  return (
    <PublicPage
      title={mayJoin
        ? t("Join {organization}", { organization: name })
        : t("Ask to join {organization}", { organization: name })}
    >
      <form method="post" class="space-y-4">
        <FormSummary errors={errors} />
        <p class="wrap-anywhere">{t("You are signed in as {email}.", { email })}</p>
        <p class="text-sm text-muted">{t("Its members then see your name and your email.")}</p>
        <Button kind="primary" class="w-full">
          {mayJoin ? t("Join {organization}", { organization: name }) : t("Ask to join")}
        </Button>
      </form>
    </PublicPage>
  );
});

export const handler = define.handlers<AskData>({
  async GET(ctx) {
    const asked = await load(ctx);
    return asked instanceof Response ? asked : page({ ...asked, isAsked: false, errors: {} });
  },

  async POST(ctx) {
    const asked = await load(ctx);
    if (asked instanceof Response) return asked;
    const { organization, user, mayJoin } = asked;
    const { kv } = ctx.state.services;
    const result = await attempt<unknown>(() =>
      mayJoin ? joinByDomain(kv, user, organization.id) : askToJoin(kv, user, organization.id)
    );
    if (!result.ok) {
      return page({ ...asked, isAsked: false, errors: result.errors }, { status: 422 });
    }
    return mayJoin
      ? redirectWithFlash(
        "/projects",
        t("Welcome to {organization}.", { organization: organization.name }),
      )
      : page({ ...asked, isAsked: true, errors: {} });
  },
});

/** The same for organizations that there are not and those that let nobody ask. @throws {Denied} 401, 404 */
async function load(
  { state, params }: { readonly state: State; readonly params: Record<string, string> },
) {
  const user = requireUser(state);
  const { kv } = state.services;
  state.meta.title = t("Join");
  const organization = await findOrganizationBySlug(kv, params.organization ?? "");
  if (organization !== null && await roleOf(kv, organization.id, user.id) !== null) {
    return new Response(null, { status: 303, headers: { location: "/projects" } });
  }
  const policy = organization && await joinPolicyOf(kv, organization.id);
  const mayJoin = policy !== null && letsIn(policy, user);
  if (organization === null || policy === null || !(mayJoin || policy.allowsRequests)) {
    throw new Denied(404, t("The requested resource does not exist."));
  }
  return { organization, user, mayJoin };
}
