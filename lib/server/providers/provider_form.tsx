import type { ComponentChildren } from "preact";
import {
  backChannelUrl,
  callbackUrl,
  CLIENT_AUTHS,
  type Provider,
} from "../../accounts/providers/provider.ts";
import type { ProviderTexts, RuleTexts } from "../../accounts/providers/settings_input.ts";
import { roleLabel, ROLES } from "../../accounts/roles.ts";
import { message, t } from "../../core/language/translate.ts";
import { CopyField } from "../../ui/components/button.tsx";
import { Checkbox, Field, type FormErrors, Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { fieldOf } from "../../ui/form.ts";
import type { Preset } from "./presets.ts";

/** What a form of a provider offers to choose from. */
export interface ProviderFormChoices {
  readonly baseUrl: string;
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
}

interface ProviderFieldsProps extends ProviderFormChoices {
  readonly preset: Preset;
  readonly texts: ProviderTexts;
  readonly errors: FormErrors;
  /** One is stored: an empty field keeps it. */
  readonly hasSecret: boolean;
}

const AUTH_LABELS = {
  client_secret_post: message("In the body (client_secret_post)"),
  client_secret_basic: message("In the header (client_secret_basic)"),
  none: message("No secret, PKCE alone (none)"),
} as const;

/** Where to click at the provider, and what to enter there. */
export function ThereSection({ preset, baseUrl, id }: {
  readonly preset: Preset;
  readonly baseUrl: string;
  readonly id: string;
}) {
  return (
    <Panel title={t("At the provider")} id="there">
      <p class="mb-3">{t(preset.steps)}</p>
      {preset.notes !== null && <p class="mb-3 text-sm text-muted">{t(preset.notes)}</p>}
      <div class="space-y-3">
        <Labelled label={t("Callback, also called redirect URI")} id="callback">
          <CopyField id="callback" value={callbackUrl({ baseUrl }, id)} what={t("callback")} />
        </Labelled>
        {preset.kind === "oidc" && (
          <Labelled label={t("Back-channel logout URI (optional)")} id="back-channel">
            <CopyField
              id="back-channel"
              value={backChannelUrl({ baseUrl }, id)}
              what={t("back-channel logout URI")}
            />
          </Labelled>
        )}
      </div>
    </Panel>
  );
}

function Labelled({ label, id, children }: {
  readonly label: string;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <p class="mb-1 font-medium" id={`${id}-label`}>{label}</p>
      {children}
    </div>
  );
}

/** All fields of a provider. */
export function ProviderFields(props: ProviderFieldsProps) {
  return (
    <>
      <ClientPanel {...props} />
      <AccountsPanel {...props} />
      <GroupsPanel {...props} />
    </>
  );
}

function ClientPanel({ preset, texts, errors, hasSecret }: ProviderFieldsProps) {
  const isOidc = preset.kind === "oidc";
  return (
    <Panel title={t("Here")} id="client">
      <div class="max-w-xl space-y-4">
        <Checkbox
          name="isEnabled"
          label={t("Show it on the sign-in page")}
          help={t("Off, nobody can sign in by it; sessions that began by it go on.")}
          isChecked={texts.isEnabled}
        />
        <Field
          name="name"
          label={t("Name on the button")}
          value={texts.name}
          error={errors.name}
          maxLength={64}
          autocomplete="off"
          required
        />
        <Field
          name="issuer"
          label={isOidc ? t("Issuer") : t("Address")}
          type="url"
          value={texts.issuer}
          error={errors.issuer}
          placeholder={preset.issuerExample}
          help={isOidc
            ? t("Exactly as the provider writes it, with or without a slash at its end.")
            : undefined}
          autocomplete="off"
          mono
          required
        />
        <Field
          name="clientId"
          label={t("Client ID")}
          value={texts.clientId}
          error={errors.clientId}
          autocomplete="off"
          mono
          required
        />
        <Field
          name="secret"
          label={t("Client secret")}
          type="password"
          error={errors.secret}
          help={hasSecret ? t("One is stored. Leave the field empty to keep it.") : undefined}
          autocomplete="new-password"
          mono
        />
        <Select
          name="clientAuth"
          label={t("How the secret is sent")}
          options={CLIENT_AUTHS.map((value) => ({ value, label: t(AUTH_LABELS[value]) }))}
          value={texts.clientAuth}
          error={errors.clientAuth}
        />
        <Field
          name="scopes"
          label={t("Scopes@@oauth")}
          value={texts.scopes}
          error={errors.scopes}
          autocomplete="off"
          mono
        />
        <Field
          name="clockSkewSec"
          label={t("Clocks may differ by (seconds)")}
          type="number"
          value={texts.clockSkewSec}
          error={errors.clockSkewSec}
          autocomplete="off"
        />
        {isOidc && (
          <Checkbox
            name="endsThere"
            label={t("Signing out here signs out there as well")}
            help={t("If the provider has an address for it (RP-initiated logout).")}
            isChecked={texts.endsThere}
          />
        )}
      </div>
    </Panel>
  );
}

function AccountsPanel({ texts, errors }: ProviderFieldsProps) {
  return (
    <Panel
      title={t("Who has no account here yet")}
      id="accounts"
      description={t(
        "Whoever has one signs in to it once and connects the provider. Whoever follows an invitation gets one.",
      )}
    >
      <div class="max-w-xl space-y-4">
        <Checkbox
          name="mayCreate"
          label={t("Make accounts")}
          help={t("Without a password, for whom the following lines let in.")}
          isChecked={texts.mayCreate}
        />
        <Field
          name="domains"
          label={t("Only for verified addresses of these domains")}
          isOptional
          value={texts.domains}
          error={errors.domains}
          placeholder="example.com example.org"
          help={t(
            "Empty: of any, and not verified ones too. Then whoever can sign in there gets an account.",
          )}
          autocomplete="off"
        />
        <Field
          name="requiredGroup"
          label={t("Only for members of this group")}
          isOptional
          value={texts.requiredGroup}
          error={errors.requiredGroup}
          autocomplete="off"
          mono
        />
        <Checkbox
          name="tellsVerifiedOnly"
          label={t("The provider knows verified addresses only, though it does not say so")}
          help={t("For a directory of your own, where nobody chooses their address.")}
          isChecked={texts.tellsVerifiedOnly}
        />
        <Checkbox
          name="isTrusted"
          label={t("Trust addresses of this provider")}
          help={t(
            "Connects an account that has the same address, if both sides have verified it; its password and sessions end. Never those who run the instance. Leave it off where strangers can have a tenant at the provider.",
          )}
          isChecked={texts.isTrusted}
        />
      </div>
    </Panel>
  );
}

/** Empty lines at the end of the table. */
const MORE_RULES = 3;
const NO_RULE: RuleTexts = { group: "", organizationId: "", role: "member", teams: "" };

function GroupsPanel({ texts, errors, organizations }: ProviderFieldsProps) {
  const rows = [...texts.rules, ...Array.from({ length: MORE_RULES }, () => NO_RULE)];
  const options = organizations.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Panel
      title={t("Groups")}
      id="groups"
      description={t(
        "Read at each sign-in. The highest role counts; a membership made so ends when no group gives it any more. Who was made a member by hand stays as they are, and the last owner stays owner. The group * is everybody who signs in by this provider.",
      )}
    >
      <div class="max-w-xl space-y-4">
        <Field
          name="groupsClaim"
          label={t("Claim with the groups")}
          isOptional
          value={texts.groupsClaim}
          error={errors.groupsClaim}
          placeholder="groups"
          help={t("A name, or a path such as resource_access.watchpost.roles.")}
          autocomplete="off"
          mono
        />
        <Checkbox
          name="needsGroup"
          label={t("Refuse who is in none of the groups below")}
          isChecked={texts.needsGroup}
        />
      </div>
      {errors.rules && <p class="mt-4 text-sm text-danger" role="alert">{errors.rules}</p>}
      <div class="mt-4 space-y-3">
        {rows.map((rule, n) => (
          <fieldset
            key={n}
            class="grid gap-2 border-t border-line pt-3 sm:grid-cols-[2fr_2fr_1fr_2fr]"
          >
            <legend class="sr-only">{t("Rule {n}", { n: n + 1 })}</legend>
            <Field
              name="group"
              idPrefix={`${n}-`}
              label={t("Group")}
              value={rule.group}
              autocomplete="off"
              mono
            />
            <Select
              name="organization"
              idPrefix={`${n}-`}
              label={t("Organization")}
              options={options}
              value={rule.organizationId}
            />
            <Select
              name="role"
              idPrefix={`${n}-`}
              label={t("Role")}
              options={ROLES.map((role) => ({ value: role, label: roleLabel(role) }))}
              value={rule.role}
            />
            <Field
              name="teams"
              idPrefix={`${n}-`}
              label={t("Teams")}
              isOptional
              value={rule.teams}
              placeholder="backend ops"
              autocomplete="off"
            />
          </fieldset>
        ))}
      </div>
      <p class="mt-3 text-sm text-muted">{t("Saving gives more empty lines.")}</p>
    </Panel>
  );
}

/** What a form of a provider says. */
export function readTexts(form: URLSearchParams): ProviderTexts {
  const isOn = (name: string) => form.get(name) === "on";
  const [organizations, roles, teams] = ["organization", "role", "teams"].map((name) =>
    form.getAll(name)
  );
  return {
    name: fieldOf(form, "name"),
    isEnabled: isOn("isEnabled"),
    issuer: fieldOf(form, "issuer"),
    clientId: fieldOf(form, "clientId"),
    clientAuth: fieldOf(form, "clientAuth"),
    scopes: fieldOf(form, "scopes"),
    clockSkewSec: fieldOf(form, "clockSkewSec"),
    isTrusted: isOn("isTrusted"),
    tellsVerifiedOnly: isOn("tellsVerifiedOnly"),
    mayCreate: isOn("mayCreate"),
    domains: fieldOf(form, "domains"),
    requiredGroup: fieldOf(form, "requiredGroup"),
    groupsClaim: fieldOf(form, "groupsClaim"),
    needsGroup: isOn("needsGroup"),
    endsThere: isOn("endsThere"),
    rules: form.getAll("group").map((group, n) => ({
      group,
      organizationId: organizations?.[n] ?? "",
      role: roles?.[n] ?? "",
      teams: teams?.[n] ?? "",
    })).filter(({ group }) => group !== ""),
  };
}

/** What the form of a new provider holds at first. */
export function presetTexts(preset: Preset): ProviderTexts {
  return {
    name: preset.name,
    isEnabled: true,
    issuer: preset.issuer,
    clientId: "",
    clientAuth: preset.clientAuth,
    scopes: preset.scopes,
    clockSkewSec: "60",
    isTrusted: false,
    tellsVerifiedOnly: false,
    mayCreate: false,
    domains: "",
    requiredGroup: "",
    groupsClaim: preset.groupsClaim,
    needsGroup: false,
    rules: [],
    endsThere: false,
  };
}

/**
 * What the form of a provider holds.
 *
 * @param slugOf of a team's id its slug; null for one that is gone
 */
export function textsOf(
  provider: Provider,
  slugOf: (organizationId: string, teamId: string) => string | null,
): ProviderTexts {
  return {
    ...provider,
    clockSkewSec: String(provider.clockSkewSec),
    domains: provider.domains.join(" "),
    rules: provider.rules.map(({ group, organizationId, role, teamIds }) => ({
      group,
      organizationId,
      role,
      teams: teamIds.map((id) => slugOf(organizationId, id)).filter((slug) => slug !== null).join(
        " ",
      ),
    })),
  };
}
