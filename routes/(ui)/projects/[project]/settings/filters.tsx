import { page } from "fresh";
import {
  type FilterSettings,
  type Project,
  settingsOf,
  updateSettings,
} from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { filteredByReason } from "@/lib/usage/counts.ts";
import { Checkbox, Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, readForm } from "@/lib/ui/form.ts";
import { formatExactOf } from "@/lib/ui/format.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { ProjectSettingsPage, ReadOnlyNote } from "@/lib/projects/settings_page.tsx";
import { readFilters } from "@/lib/projects/settings_form.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface FiltersData {
  readonly shell: Shell;
  readonly project: Project;
  readonly mayWrite: boolean;
  readonly filters: FilterSettings;
  /** Items of the last 30 days, by reason. */
  readonly filtered: ReadonlyMap<string, number>;
  readonly errors: FormErrors;
}

const DAYS = 30;
const DAY_MS = 86_400_000;

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
  const { shell, project, mayWrite, filters, filtered, errors } = data;
  const dropped = (reason: string) => formatExactOf(filtered.get(reason) ?? 0, "items");
  return (
    <ProjectSettingsPage shell={shell} project={project} tab="filters">
      {!mayWrite && <ReadOnlyNote what="these filters" />}
      <form method="post" class="space-y-6">
        <FormSummary errors={errors} />
        <Panel
          title="Inbound filters"
          description={`What a filter drops is not stored and not grouped; it is counted as filtered. Beside each filter: what it dropped in the last ${DAYS} days.`}
        >
          <div class="space-y-4">
            {SWITCHES.map(([name, reason, label, help]) => (
              <Checkbox
                key={name}
                name={name}
                label={label}
                help={help}
                aside={dropped(reason)}
                isChecked={filters[name]}
                isDisabled={!mayWrite}
              />
            ))}
          </div>
        </Panel>
        <Panel title="By pattern" description="A star stands for any text; case does not matter.">
          <div class="space-y-4">
            {LISTS.map(([name, reason, label, help]) => (
              <Field
                key={name}
                name={name}
                label={`${label} · ${dropped(reason)} dropped`}
                value={filters[name].join("\n")}
                error={errors[name]}
                help={help}
                rows={3}
                mono
              />
            ))}
          </div>
        </Panel>
        {mayWrite && <Button kind="primary">Save</Button>}
      </form>
    </ProjectSettingsPage>
  );
});

export const handler = define.handlers<FiltersData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    ctx.state.meta.title = `Inbound filters · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: roleAllows(role, "project:write"),
      filters: settingsOf(project).filters,
      filtered: await filteredByReason(ctx.state.services.sql, project.id, lastDays()),
      errors: {},
    });
  },

  async POST(ctx) {
    const { project } = await requireProject(ctx, "project:write");
    const { kv, sql } = ctx.state.services;
    const form = await readForm(ctx.req);
    const result = await attempt(async () =>
      await updateSettings(kv, project.id, { filters: readFilters(form) })
    );
    if (result.ok) {
      return redirectWithFlash(`${sectionPath(project.id, "settings")}/filters`, "Saved.");
    }
    ctx.state.meta.title = `Inbound filters · ${project.name}`;
    return page({
      shell: await loadShell(ctx, project),
      project,
      mayWrite: true,
      filters: asSent(form),
      filtered: await filteredByReason(sql, project.id, lastDays()),
      errors: result.errors,
    }, { status: 422 });
  },
});

function lastDays(): { start: Date; end: Date } {
  return { start: new Date(Date.now() - DAYS * DAY_MS), end: new Date(Date.now() + DAY_MS) };
}

/** What was entered, to be corrected. */
function asSent(form: URLSearchParams): FilterSettings {
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
