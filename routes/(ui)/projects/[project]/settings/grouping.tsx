import { message, rich, t } from "@/lib/core/language/translate.ts";
import { settingsOf } from "@/lib/accounts/projects.ts";
import { Grouping, type TryResult, tryRules } from "@/lib/projects/settings_form.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { settingsHandlers } from "@/lib/server/settings_handlers.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { checkForm } from "@/lib/ui/form.ts";

/** The event that the rules are tried on, and what came of it. */
interface Tried {
  readonly eventId: string;
  readonly result: TryResult;
}

const EXAMPLE = `# Whatever the database says while it is down is one issue
error.type:DatabaseUnavailable -> database-down
message:"*connection refused*" logger:shop.* -> connection-refused, {{ transaction }}
stack.module:vendor.* app:no !level:fatal -> {{ default }}, vendor`;

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, mayWrite, values: rules, errors } = data;
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="grouping">
      {!mayWrite && <ReadOnlyNote />}
      <Panel
        title={t("Fingerprint rules")}
        description={t(
          "The first rule that an event matches decides about its issue, before the client's own fingerprint. Rules hold for what comes from now on.",
        )}
      >
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <Field
            name="rules"
            label={t("Rules")}
            value={rules}
            error={errors.rules}
            help={t(
              "One rule a line: matchers, ->, then the fingerprint. Stars stand for any text, ! for not, # begins a comment.",
            )}
            placeholder={EXAMPLE}
            rows={10}
            mono
          />
          {mayWrite && <Button kind="primary" name="action" value="save">{t("Save")}</Button>}
        </form>
        <details class="mt-4 text-sm">
          <summary class="inline-block text-muted underline hover:text-ink">
            {t("What can be matched, and used in a fingerprint")}
          </summary>
          <dl class="mt-2 grid gap-x-6 gap-y-2 sm:grid-cols-[9rem_1fr]">
            <dt class="text-muted">{t("Of the event")}</dt>
            <dd>
              <code>
                error.type error.value message logger level release environment transaction sdk
                family tags.NAME
              </code>
            </dd>
            <dt class="text-muted">{t("Of one frame")}</dt>
            <dd>
              <code>stack.function stack.module stack.abs_path stack.package app:yes</code>
            </dd>
            <dt class="text-muted">{t("In fingerprints")}</dt>
            <dd>
              {rich("{names} and more of the above", {
                names: (
                  <code>
                    {"{{ default }} {{ error.type }} {{ transaction }} {{ function }} {{ tags.NAME }}"}
                  </code>
                ),
              })}
            </dd>
          </dl>
        </details>
      </Panel>
      <TryPanel tried={data.tried} />
    </ProjectSettingsPage>
  );
});

function TryPanel({ tried }: { readonly tried: Tried | null }) {
  return (
    <Panel
      title={t("Try the saved rules")}
      id="try"
      description={t("See which rule an event of this project falls under.")}
    >
      <form method="get" action="#try" class="flex max-w-xl flex-wrap items-end gap-2">
        <div class="min-w-0 flex-1 basis-64">
          <Field
            name="event"
            label={t("Event id")}
            value={tried?.eventId ?? ""}
            autocomplete="off"
            mono
            required
          />
        </div>
        <Button>{t("Try")}</Button>
      </form>
      {tried !== null && (
        <div class="mt-4">
          {tried.result.kind === "not_found" && (
            <Alert kind="warning">{t("There is no such event in this project.")}</Alert>
          )}
          {tried.result.kind === "no_rule" && (
            <Alert kind="info">{t("No rule matches: the event is grouped by itself.")}</Alert>
          )}
          {tried.result.kind === "matched" && (
            <Alert kind="ok">
              {rich("Line {line} matches: {text}. The fingerprint is {fingerprint}.", {
                line: String(tried.result.line),
                text: <code>{tried.result.text}</code>,
                fingerprint: <code>{tried.result.fingerprint.join(", ")}</code>,
              })}
            </Alert>
          )}
        </div>
      )}
    </Panel>
  );
}

export const handler = settingsHandlers({
  tab: "grouping",
  title: message("Grouping"),
  valuesOf: ({ fingerprintRules }) => fingerprintRules,
  entered: (form) => form.get("rules") ?? "",
  read: (form) => ({ fingerprintRules: checkForm(form, Grouping).rules }),
  load: async ({ project, url, services }): Promise<{ readonly tried: Tried | null }> => {
    const eventId = url.searchParams.get("event")?.trim() ?? "";
    if (eventId === "") return { tried: null };
    const { fingerprintRules } = settingsOf(project);
    return {
      tried: {
        eventId,
        result: await tryRules(services.sql, project.id, eventId, fingerprintRules),
      },
    };
  },
});
