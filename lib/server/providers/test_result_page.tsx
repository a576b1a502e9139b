import type { ComponentChildren } from "preact";
import { type ArrivalPlan, matchingRules } from "../../accounts/providers/arrival.ts";
import { type Claims, hasGroupOverage, type Profile } from "../../accounts/providers/profile.ts";
import type { Provider } from "../../accounts/providers/provider.ts";
import { roleLabel } from "../../accounts/roles.ts";
import { t } from "../../core/language/translate.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Page, PageHeader } from "../../ui/components/page.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import type { Shell } from "../../ui/shell.ts";

export interface TestResultView {
  readonly shell: Shell;
  readonly provider: Provider;
  readonly plan: ArrivalPlan;
  readonly profile: Profile;
  readonly claims: Claims;
}

/** Longer claims are cut: some carry a picture. */
const MAX_SHOWN = 20_000;

/** What a provider told of the administrator who tried it, and what would follow for a real sign-in. */
export function TestResultPage({ shell, provider, plan, profile, claims }: TestResultView) {
  const settings = `/instance/sign-in/${provider.id}`;
  const json = JSON.stringify(claims, null, 2);
  return (
    <Page
      shell={shell}
      crumbs={[
        { label: t("Instance"), href: "/instance" },
        { label: t("Sign-in"), href: "/instance/sign-in" },
        { label: provider.name, href: settings },
        { label: t("Test@@noun") },
      ]}
      width="narrow"
    >
      <PageHeader
        title={t("Test of {provider}", { provider: provider.name })}
        actions={<LinkButton href={settings}>{t("Back to the settings")}</LinkButton>}
      />
      <div class="mt-5 space-y-6">
        <Panel title={t("What would follow")}>
          <p class="mb-3">{planText(plan)}</p>
          <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[12rem_1fr]">
            <Fact label={t("Email")}>
              {profile.email ?? "–"} {profile.email !== null &&
                (profile.isEmailVerified ? t("(verified)") : t("(not verified)"))}
            </Fact>
            <Fact label={t("Name")}>{profile.name || "–"}</Fact>
            <Fact label={t("Issuer")}>{profile.issuer}</Fact>
            <Fact label={t("Subject")}>{profile.subject}</Fact>
            <Fact label={t("Groups")}>
              {profile.groups.slice(0, 200).join(", ") || "–"}
            </Fact>
            <Fact label={t("Rules that match")}>
              {matchingRules(provider, profile).map(({ group, role }) =>
                `${group} → ${roleLabel(role)}`
              )
                .join(", ") || "–"}
            </Fact>
          </dl>
          {hasGroupOverage(claims) && (
            <div class="mt-4">
              <Alert kind="warning">
                {t(
                  "Entra lists no groups here: there are more than 200. Use app roles, or groups that are assigned to the application.",
                )}
              </Alert>
            </div>
          )}
          {profile.hasMoreGroups && (
            <div class="mt-4">
              <Alert kind="warning">
                {t("There are more groups than are read. Have the provider send fewer.")}
              </Alert>
            </div>
          )}
        </Panel>
        <Panel
          title={t("Claims")}
          description={t("As the provider told them, after they were verified.")}
        >
          <CodeBlock
            id="claims"
            label={t("Claims")}
            language="json"
            code={json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}…` : json}
          />
        </Panel>
      </div>
    </Page>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <>
      <dt class="text-muted">{label}</dt>
      <dd class="wrap-anywhere">{children}</dd>
    </>
  );
}

function planText(plan: ArrivalPlan): string {
  switch (plan.kind) {
    case "known":
      return t("Signs in to the account {email}, which is connected.", { email: plan.user.email });
    case "trusted":
      return t(
        "Connects the account {email}, as addresses of this provider are trusted, and removes its password.",
        { email: plan.user.email },
      );
    case "created":
      return t("Makes an account for {email}.", { email: plan.email });
    case "stranger":
      return t("Asks to sign in to an account first, to connect it. {why}", { why: plan.why });
    case "refused":
      return t("Is refused. {why}", { why: plan.why });
  }
}
