import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { listMembers, roleAllows } from "@/lib/accounts/members.ts";
import type { Organization } from "@/lib/accounts/organizations.ts";
import { GRACE_DAYS, setSecondFactorRule } from "@/lib/accounts/second_factor_rule.ts";
import { hasSecondFactor } from "@/lib/accounts/second_factors.ts";
import { rich, t } from "@/lib/core/language/translate.ts";
import { organizationPath, OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { setProviderOf } from "@/lib/accounts/providers/organization_rule.ts";
import { define } from "@/lib/server/define.ts";
import { OrganizationRulePanel } from "@/lib/server/providers/organization_rule_panel.tsx";
import {
  loadProviderButtons,
  type ProviderButton,
} from "@/lib/server/providers/provider_buttons.tsx";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { requireRecent } from "@/lib/server/recent_proof.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { type FormErrors, Select } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface SecurityData {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayWrite: boolean;
  readonly mayHaveTokens: boolean;
  /** Emails of members without a second factor; null for those who may not decide about it. */
  readonly without: readonly string[] | null;
  readonly providers: readonly ProviderButton[];
  readonly errors: FormErrors;
}

/** What the organization asks of its people at the sign-in. */
export default define.page<typeof handler>(({ data }) => {
  const { shell, organization, mayWrite, mayHaveTokens, without } = data;
  const from = organization.secondFactorFrom;
  return (
    <OrganizationSettingsPage
      shell={shell}
      organization={organization}
      tab="security"
      mayHaveTokens={mayHaveTokens}
    >
      <Panel
        title={t("Second factor")}
        description={t(
          "Members need an authenticator app or a passkey. Who has none sees where to set one up, and nothing else of this organization. Single sign-on counts as a second factor.",
        )}
        actions={from === undefined
          ? <Badge>{t("Not required")}</Badge>
          : <Badge tone="ok" icon="ok">{t("Required")}</Badge>}
      >
        {from !== undefined && (
          <p class="mb-3">
            {rich("Required from {date} on.", { date: <ExactTime date={from} /> })}
          </p>
        )}
        {without !== null && without.length > 0 && (
          <p class="mb-3 wrap-anywhere">
            {t("Without a second factor: {emails}", { emails: without.join(", ") })}
          </p>
        )}
        {mayWrite
          ? <RuleForm isRequired={from !== undefined} />
          : <p class="text-muted">{t("Only managers and owners can change this.")}</p>}
      </Panel>
      <OrganizationRulePanel
        providers={data.providers}
        signInBy={organization.signInBy ?? null}
        mayWrite={mayWrite}
        errors={data.errors}
      />
    </OrganizationSettingsPage>
  );
});

function RuleForm({ isRequired }: { readonly isRequired: boolean }) {
  return (
    <form method="post" class="flex flex-wrap items-end gap-3">
      {isRequired
        ? <Button name="action" value="off">{t("Do not require it any more")}</Button>
        : (
          <>
            <Select
              name="grace"
              label={t("Time to set one up")}
              value="7"
              options={GRACE_DAYS.map((n) => ({
                value: String(n),
                label: n === 0 ? t("none: at once") : t("{n} day|{n} days", { n }),
              }))}
            />
            <Button name="action" value="on" kind="primary">{t("Require a second factor")}</Button>
          </>
        )}
    </form>
  );
}

export const handler = formHandlers<SecurityData>(async (ctx) => {
  const { organization, role } = await requireOrganization(ctx, "organization:read");
  ctx.state.meta.title = `${t("Security")} · ${organization.name}`;
  const mayWrite = roleAllows(role, "organization:write");
  return {
    shell: await loadShell(ctx),
    organization,
    mayWrite,
    mayHaveTokens: roleAllows(role, "token:write"),
    providers: await loadProviderButtons(ctx.state.services.kv),
    errors: {},
    without: mayWrite ? await membersWithout(ctx.state.services.kv, organization.id) : null,
  };
}, async (ctx) => {
  const { organization: { id, slug } } = await requireOrganization(ctx, "organization:write");
  requireRecent(ctx);
  const form = await readForm(ctx.req);
  const saved = () => redirectWithFlash(`${organizationPath(slug)}/security`, t("Saved."));
  if (form.get("action") === "provider") {
    const { services: { kv }, session } = ctx.state;
    const provider = fieldOf(form, "provider") || null;
    const result = await attempt(() => setProviderOf(kv, id, provider, session));
    return result.ok ? saved() : { changes: { errors: result.errors } };
  }
  const days = Number(fieldOf(form, "grace") || "0");
  const grace = GRACE_DAYS.find((each) => each === days) ?? GRACE_DAYS[0];
  const isOn = form.get("action") === "on";
  await setSecondFactorRule(ctx.state.services.kv, id, isOn ? grace : null);
  return saved();
});

async function membersWithout(kv: Deno.Kv, organizationId: string): Promise<string[]> {
  const members = await listMembers(kv, organizationId);
  const emails = await Promise.all(
    members.map(async ({ user }) => await hasSecondFactor(kv, user.id) ? [] : [user.email]),
  );
  return emails.flat();
}
