import { type Message, rich, t } from "../core/language/translate.ts";
import type { Project } from "../accounts/projects.ts";
import { AccountPage } from "../ui/tabbed_pages.tsx";
import { Button } from "../ui/components/button.tsx";
import { Checkbox } from "../ui/components/fields.tsx";
import { Panel } from "../ui/components/panel.tsx";
import type { Shell } from "../ui/shell.ts";
import { type Preferences, SWITCHES } from "./preferences.ts";

export interface PreferencesView {
  readonly shell: Shell;
  readonly preferences: Preferences;
  /** All that the person sees, by organization. */
  readonly places: readonly {
    readonly organization: string;
    readonly projects: readonly Project[];
  }[];
  readonly email: string;
  /** Whether this instance sends mail at all. */
  readonly hasMail: boolean;
}

const WORDS: Readonly<Record<(typeof SWITCHES)[number], readonly [label: Message, help: Message]>> =
  {
    assigned: ["Assigned to me", "An issue was assigned to you or to a team of yours."],
    mentioned: ["Mentions", "Somebody named you in a comment."],
    owned: [
      "New issues of mine",
      "Ownership rules name you or a team of yours for a new issue, or you wrote its suspect commit.",
    ],
    participating: [
      "Issues I take part in",
      "Comments and changes of issues that are assigned to you, or that you commented on, changed, bookmarked or subscribed to.",
    ],
    returned: [
      "Regressions",
      "Such an issue, or one of those above, happened again after it was resolved, or got much worse.",
    ],
    own: ["My own changes", "Also for what you changed."],
    weekly: ["Weekly report", "On Monday: errors, new and resolved issues of your projects."],
  };

/** What a person is told of by mail. */
export function PreferencesPage({ shell, preferences, places, email, hasMail }: PreferencesView) {
  const projects = places.flatMap((place) => place.projects);
  return (
    <AccountPage shell={shell} tab="notifications">
      {!hasMail && (
        <p role="status" class="rounded-lg border border-line bg-canvas px-4 py-3 text-sm">
          {rich(
            "This instance sends no email: its operator has not set <setting>SMTP_HOST</setting>. What you choose holds from the day it does.",
            { setting: (name) => <code>{name}</code> },
          )}
        </p>
      )}
      <form method="post" class="space-y-6">
        <Panel title={t("By email")} description={t("To {email}.", { email })}>
          <div class="space-y-4">
            {SWITCHES.map((name) => (
              <Checkbox
                key={name}
                name={name}
                label={t(WORDS[name][0])}
                help={t(WORDS[name][1])}
                isChecked={preferences[name]}
              />
            ))}
          </div>
        </Panel>
        {projects.length > 0 && (
          <Panel
            title={t("Projects")}
            description={t("No emails come from projects that are not chosen.")}
          >
            <div class="space-y-4">
              {places.filter((place) => place.projects.length > 0).map((place) => (
                <fieldset key={place.organization}>
                  <legend class="mb-2 text-meta text-muted">{place.organization}</legend>
                  <div class="grid gap-2 sm:grid-cols-2">
                    {place.projects.map(({ id, name }) => (
                      <Checkbox
                        key={id}
                        name={`project.${id}`}
                        label={name}
                        isChecked={!preferences.mutedProjects.includes(id)}
                      />
                    ))}
                  </div>
                </fieldset>
              ))}
            </div>
          </Panel>
        )}
        <Button kind="primary">{t("Save")}</Button>
      </form>
    </AccountPage>
  );
}

/**
 * What the form says.
 *
 * @param projectIds those that it showed: what it did not show stays as it was
 */
export function readPreferences(
  form: URLSearchParams,
  projectIds: readonly string[],
  before: Preferences,
): Preferences {
  const switches = Object.fromEntries(SWITCHES.map((name) => [name, form.has(name)])) as Pick<
    Preferences,
    (typeof SWITCHES)[number]
  >;
  const unseen = before.mutedProjects.filter((id) => !projectIds.includes(id));
  return {
    ...switches,
    mutedProjects: [...unseen, ...projectIds.filter((id) => !form.has(`project.${id}`))],
  };
}
