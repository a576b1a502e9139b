import { RETENTION_KINDS } from "@/lib/accounts/projects.ts";
import { message, t } from "@/lib/core/language/translate.ts";
import { readRetention, retentionWords } from "@/lib/projects/retention.ts";
import { SettingsFormPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { settingsHandlers } from "@/lib/server/settings_handlers.ts";
import { Field } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";

/** For how long a project keeps which kind of data. */
export default define.page<typeof handler>(({ data }) => {
  const { mayWrite, values, errors, most } = data;
  return (
    <SettingsFormPage {...data} tab="retention">
      <Panel
        title={t("Retention by kind of data")}
        description={t(
          "Days. Empty: {n} day, as the instance keeps everything.|Days. Empty: {n} days, as the instance keeps everything.",
          { n: most },
        )}
      >
        <div class="grid gap-4 sm:grid-cols-2">
          {RETENTION_KINDS.map((kind) => {
            const { label, help } = retentionWords(kind);
            return mayWrite
              ? (
                <Field
                  key={kind}
                  name={kind}
                  type="number"
                  label={label}
                  help={help}
                  value={values[kind] ?? ""}
                  placeholder={String(most)}
                  error={errors[kind]}
                  autocomplete="off"
                />
              )
              : (
                <p key={kind}>
                  <span class="block font-medium">{label}</span>
                  {values[kind] || String(most)}
                </p>
              );
          })}
        </div>
        <p class="mt-4 text-sm text-muted">
          {t(
            "What is older is deleted once a day, for good; exports and copies that were made before are not.",
          )}
        </p>
      </Panel>
    </SettingsFormPage>
  );
});

export const handler = settingsHandlers({
  tab: "retention",
  title: message("Retention"),
  valuesOf: ({ retention }): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(retention).map(([kind, days]) => [kind, String(days)])),
  entered: (form) => Object.fromEntries(form),
  read: (form, { config }) => ({ retention: readRetention(form, config.retentionDays) }),
  load: ({ services }) => ({ most: services.config.retentionDays }),
});
