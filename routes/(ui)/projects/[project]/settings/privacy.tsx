import { t } from "@/lib/core/language/translate.ts";
import { findOrganization, organizationSettingsOf } from "@/lib/accounts/organizations.ts";
import { Privacy } from "@/lib/projects/settings_form.ts";
import { SettingsFormPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { settingsHandlers } from "@/lib/server/settings_handlers.ts";
import { Checkbox, Field } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { checkForm } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => {
  const { mayWrite, values, errors } = data;
  return (
    <SettingsFormPage {...data} tab="privacy">
      <Panel
        title={t("Secrets")}
        description={t(
          "What is hidden is replaced by [Filtered] before anything is stored, in everything that is sent. Changes hold for what comes from now on.",
        )}
      >
        <div class="space-y-4">
          <Checkbox
            name="scrubs"
            label={t("Hide secrets")}
            help={t(
              "Passwords, tokens, API keys, cookies, authorization headers, card numbers, IBANs, private keys, and passwords in addresses.",
            )}
            isChecked={values.scrubs}
            isDisabled={!mayWrite}
          />
          <Field
            name="extraFields"
            label={t("More fields to hide")}
            value={values.extraFields.join("\n")}
            error={errors.extraFields}
            help={t(
              "Names of fields, one a line, such as customer_number. Case and punctuation do not matter.",
            )}
            rows={4}
            mono
          />
          <Field
            name="safeFields"
            label={t("Fields never to hide")}
            value={values.safeFields.join("\n")}
            error={errors.safeFields}
            help={t(
              "Names of fields, one a line, that only look like secrets, such as token_count.",
            )}
            rows={4}
            mono
          />
        </div>
      </Panel>
      <Panel title={t("Addresses of users")}>
        {data.isOffForAll && (
          <p class="mb-3 text-muted">
            {t("The organization stores no IP addresses: its setting holds here as well.")}
          </p>
        )}
        <Checkbox
          name="keepsAddresses"
          label={t("Keep IP addresses")}
          help={t(
            "Off: addresses are taken out of users, request headers and attributes, and none is filled in from the connection.",
          )}
          isChecked={values.keepsAddresses}
          isDisabled={!mayWrite}
        />
      </Panel>
    </SettingsFormPage>
  );
});

export const handler = settingsHandlers({
  tab: "privacy",
  title: "Privacy",
  valuesOf: ({ privacy }) => privacy,
  entered: (form) => ({
    scrubs: form.has("scrubs"),
    keepsAddresses: form.has("keepsAddresses"),
    extraFields: [form.get("extraFields") ?? ""],
    safeFields: [form.get("safeFields") ?? ""],
  }),
  read: (form) => ({ privacy: checkForm(form, Privacy) }),
  async load({ project, services: { kv } }) {
    const organization = await findOrganization(kv, project.organizationId);
    return { isOffForAll: !organizationSettingsOf(organization ?? {}).keepsAddresses };
  },
});
