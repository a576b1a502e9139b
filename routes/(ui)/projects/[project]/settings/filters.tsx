import { t } from "@/lib/core/language/translate.ts";
import type { FilterSettings } from "@/lib/accounts/projects.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { DiscardPanel } from "@/lib/errors/manage/discard_panel.tsx";
import { listDiscards } from "@/lib/errors/manage/discards.ts";
import { Filters } from "@/lib/projects/settings_form.ts";
import { SettingsFormPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { settingsHandlers } from "@/lib/server/settings_handlers.ts";
import { Checkbox, Field } from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { checkForm } from "@/lib/ui/form.ts";
import { formatExactOf } from "@/lib/ui/format.ts";
import { filteredByReason } from "@/lib/usage/counts.ts";

const DAYS = 30;

const SWITCHES = [
  [
    "browserExtensions",
    "browser_extensions",
    "Browser extensions",
    "Errors with a frame of an extension, or one of the messages that extensions are known for.",
  ],
  [
    "localhost",
    "localhost",
    "Local development",
    "Errors of pages at localhost, 127.0.0.1 and ::1, and of users with such an address.",
  ],
  [
    "legacyBrowsers",
    "legacy_browsers",
    "Legacy browsers",
    "Internet Explorer, and versions of other browsers from before about 2019.",
  ],
  [
    "crawlers",
    "crawlers",
    "Crawlers",
    "Whatever search engines and other robots send that name themselves.",
  ],
] as const;

const LISTS = [
  [
    "releases",
    "release",
    "Releases",
    "One pattern a line, such as shop@0.* (everything that is sent).",
  ],
  [
    "messages",
    "message",
    "Messages",
    "One pattern a line for the message or type: message of errors, such as *ResizeObserver loop*.",
  ],
  [
    "addresses",
    "address",
    "IP addresses",
    "One address or range a line, such as 203.0.113.7 or 10.0.0.0/8 (everything that is sent from there).",
  ],
] as const;

export default define.page<typeof handler>(({ data }) => {
  const { mayWrite, values, filtered, errors, discards } = data;
  const dropped = (reason: string) =>
    formatExactOf(filtered.get(reason) ?? 0, "{n} item|{n} items");
  return (
    <SettingsFormPage
      {...data}
      tab="filters"
      below={<DiscardPanel projectId={data.project.id} discards={discards} mayChange={mayWrite} />}
    >
      <Panel
        title={t("Inbound filters")}
        description={t(
          "What a filter drops is not stored and not grouped; it is counted as filtered. Beside each filter: what it dropped in the last {days} days.",
          { days: DAYS },
        )}
      >
        <div class="space-y-4">
          {SWITCHES.map(([name, reason, label, help]) => (
            <Checkbox
              key={name}
              name={name}
              label={t(label)}
              help={t(help)}
              aside={dropped(reason)}
              isChecked={values[name]}
              isDisabled={!mayWrite}
            />
          ))}
        </div>
      </Panel>
      <Panel
        title={t("By pattern")}
        description={t("A star stands for any text; case does not matter.")}
      >
        <div class="space-y-4">
          {LISTS.map(([name, reason, label, help]) => (
            <Field
              key={name}
              name={name}
              label={t("{label} · {count} dropped", { label: t(label), count: dropped(reason) })}
              value={values[name].join("\n")}
              error={errors[name]}
              help={t(help)}
              rows={3}
              mono
            />
          ))}
        </div>
      </Panel>
    </SettingsFormPage>
  );
});

export const handler = settingsHandlers({
  tab: "filters",
  title: "Inbound filters",
  valuesOf: ({ filters }) => filters,
  entered,
  read: (form) => ({ filters: checkForm(form, Filters) }),
  load: async ({ project, services }) => ({
    /** Items of the last 30 days, by reason. */
    filtered: await filteredByReason(services.sql, project.id, lastDays()),
    discards: await listDiscards(services.sql, project.id),
  }),
});

function lastDays(): { start: Date; end: Date } {
  return { start: new Date(Date.now() - DAYS * DAY_MS), end: new Date(Date.now() + DAY_MS) };
}

function entered(form: URLSearchParams): FilterSettings {
  const list = (name: string) => [form.get(name) ?? ""];
  return {
    browserExtensions: form.has("browserExtensions"),
    localhost: form.has("localhost"),
    legacyBrowsers: form.has("legacyBrowsers"),
    crawlers: form.has("crawlers"),
    releases: list("releases"),
    messages: list("messages"),
    addresses: list("addresses"),
  };
}
