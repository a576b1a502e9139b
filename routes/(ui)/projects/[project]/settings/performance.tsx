import { t } from "@/lib/core/language/translate.ts";
import { percentText, Performance } from "@/lib/projects/settings_form.ts";
import { SettingsFormPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { settingsHandlers } from "@/lib/server/settings_handlers.ts";
import { Field } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { checkForm, fieldOf } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => {
  const { values, errors } = data;
  return (
    <SettingsFormPage {...data} tab="performance">
      <Panel
        title={t("Sampling")}
        description={t(
          "Keeps a share of the traces that are sent, so that storage grows less. Changes hold from the next request on, for what comes from then on.",
        )}
      >
        <div class="max-w-md">
          <Field
            name="sampleRate"
            label={t("Traces to keep, in percent")}
            value={values.sampleRate}
            error={errors.sampleRate}
            help={t(
              "From 0 to 100. Decided by trace id: a trace is kept or dropped whole, whichever of its services sends it, through Sentry's SDKs and OpenTelemetry alike.",
            )}
            autocomplete="off"
            required
          />
        </div>
        <p class="mt-4 max-w-3xl text-sm text-muted">
          {t(
            "Transactions, spans and the profiles of a trace are sampled; errors and logs never are. Counts, throughput and times in total are extrapolated from what is kept; durations and failure rates are those of the traces that are kept. What is dropped shows as sampled in Usage.",
          )}
        </p>
      </Panel>
      <Panel
        title={t("Apdex")}
        description={t(
          "One figure for how content users are, from 0 to 1. Changes hold for what is stored already as well.",
        )}
      >
        <div class="max-w-md">
          <Field
            name="apdexMs"
            label={t("Satisfying duration, in milliseconds")}
            value={values.apdexMs}
            error={errors.apdexMs}
            help={t(
              "Transactions up to this long count whole, those up to four times as long half, longer ones not at all.",
            )}
            autocomplete="off"
            required
          />
        </div>
      </Panel>
      <Panel
        title={t("Source code")}
        description={t(
          "Boxes of flame graphs lead to the line in your repository. Go's own packages and public modules are found without.",
        )}
      >
        <div class="max-w-2xl space-y-4">
          <Field
            name="sourceLink"
            label={t("Address of a line")}
            isOptional
            value={values.sourceLink}
            error={errors.sourceLink}
            placeholder="https://github.com/acme/shop/blob/main/{file}#L{line}"
            help={t("{file} and {line} are filled in.", { file: "{file}", line: "{line}" })}
            autocomplete="off"
            mono
          />
          <Field
            name="sourceRoot"
            label={t("Paths begin with")}
            isOptional
            value={values.sourceRoot}
            error={errors.sourceRoot}
            placeholder="/app/"
            help={t(
              "What profiles have before the paths of your repository. Files without it are not looked for there.",
            )}
            autocomplete="off"
            mono
          />
        </div>
      </Panel>
    </SettingsFormPage>
  );
});

export const handler = settingsHandlers({
  tab: "performance",
  title: "Performance settings",
  valuesOf: ({ sampleRate, apdexMs, sourceLink, sourceRoot }) => ({
    sampleRate: percentText(sampleRate),
    apdexMs: String(apdexMs),
    sourceLink,
    sourceRoot,
  }),
  entered: (form) => ({
    sampleRate: fieldOf(form, "sampleRate"),
    apdexMs: fieldOf(form, "apdexMs"),
    sourceLink: fieldOf(form, "sourceLink"),
    sourceRoot: fieldOf(form, "sourceRoot"),
  }),
  read: (form) => checkForm(form, Performance),
  load: () => ({}),
});
