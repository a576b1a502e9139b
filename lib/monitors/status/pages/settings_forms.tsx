/** The settings of a status page: forms that work without script. */
import { rich, t } from "@/lib/core/language/translate.ts";
import { Alert, EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { Button, CopyField, LinkButton } from "@/lib/ui/components/button.tsx";
import {
  Checkbox,
  CONFIRM_FIELD,
  ConfirmByName,
  CONTROL_LOOK,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "@/lib/ui/components/fields.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import type { AvailableMonitor } from "../measured.ts";
import { phaseOf, stateWords, type StatusPost } from "../posts.ts";
import {
  COLOURS,
  entryKey,
  MAX_ABOUT,
  MAX_GROUP,
  pageUrl,
  type StatusPage,
} from "../status_page.ts";

/** What the form of the page itself shows, as it was entered or as it is. */
export type SettingsValues = Readonly<Record<typeof SETTINGS_FIELDS[number], string>>;

export const SETTINGS_FIELDS = [
  "title",
  "slug",
  "about",
  "host",
  "visibility",
  "headColour",
  "linkColour",
] as const;

/** The values of a page, or of a new one for an organization. */
export function settingsValues(
  page: StatusPage | null,
  organization: { readonly name: string; readonly slug: string },
): SettingsValues {
  return {
    title: page?.title ?? organization.name,
    slug: page?.slug ?? organization.slug,
    about: page?.about ?? "",
    host: page?.host ?? "",
    visibility: page === null || !page.isPublic ? "private" : "public",
    headColour: page?.headColour ?? COLOURS.head,
    linkColour: page?.linkColour ?? COLOURS.link,
  };
}

export interface SettingsData {
  readonly page: StatusPage | null;
  readonly values: SettingsValues;
  /** A refused form: its `action`, and why. */
  readonly refused: { readonly action: string; readonly errors: FormErrors } | null;
  /** All that the page could show; null: Postgres is away. */
  readonly monitors: readonly AvailableMonitor[] | null;
  readonly posts: readonly StatusPost[];
  readonly subscribers: number;
  readonly hasMail: boolean;
  /** Just made; shown this once. */
  readonly token: string | null;
  readonly mayWrite: boolean;
  readonly mayPost: boolean;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  /** Path of these settings. */
  readonly path: string;
}

export function StatusPageSettings(data: SettingsData) {
  const { page, refused, mayWrite, token } = data;
  const errorsOf = (action: string) => refused?.action === action ? refused.errors : {};
  return (
    <>
      {token !== null && page !== null && (
        <Alert kind="ok" title={t("The link with the new token")} isLive>
          <p class="mb-2">{t("Copy it now: the token is not kept and cannot be shown again.")}</p>
          <CopyField
            id="status-token"
            value={`${pageUrl(data.baseUrl, page)}?token=${token}`}
            what={t("link to the status page")}
          />
        </Alert>
      )}
      {page !== null && <Addresses page={page} baseUrl={data.baseUrl} />}
      {page !== null && <Posts data={data} posts={data.posts} />}
      {!mayWrite && page === null && (
        <Panel>
          <EmptyState icon="monitors" title={t("No status page")}>
            {t("Owners and administrators can make one.")}
          </EmptyState>
        </Panel>
      )}
      {mayWrite && <SettingsForm data={data} errors={errorsOf("settings")} />}
      {mayWrite && page !== null && (
        <>
          <Entries page={page} errors={errorsOf("entries")} />
          <AddMonitors page={page} monitors={data.monitors} errors={errorsOf("add")} />
          <Logo page={page} errors={errorsOf("logo")} />
          {!page.isPublic && <Access page={page} />}
          <Panel title={t("Delete")} danger>
            <ConfirmByName
              name={page.slug}
              action={t("Delete status page")}
              consequence={t(
                "Its incidents and {n} subscriber go with it. Monitors stay.|Its incidents and {n} subscribers go with it. Monitors stay.",
                { n: data.subscribers },
              )}
              idPrefix="delete-"
              fields={{ action: "delete" }}
              error={errorsOf("delete")[CONFIRM_FIELD]}
            />
          </Panel>
        </>
      )}
    </>
  );
}

function Addresses({ page, baseUrl }: { readonly page: StatusPage; readonly baseUrl: string }) {
  const url = pageUrl(baseUrl, page);
  const shown = [
    { label: t("Page"), url },
    { label: "RSS", url: `${url}/feed.xml` },
    { label: "JSON", url: `${url}/json` },
    { label: t("Badge"), url: `${url}/badges/${page.badge}.svg` },
  ];
  return (
    <Panel
      title={page.title}
      description={page.isPublic
        ? t("Anybody can see it.")
        : t("Private: for signed-in members, and for who has the link with its token.")}
      actions={<LinkButton size="sm" href={`/status/${page.slug}`}>{t("Open@@verb")}</LinkButton>}
    >
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[6rem_1fr]">
        {shown.map(({ label, url }) => (
          <>
            <dt class="text-muted">{label}</dt>
            <dd class="min-w-0 wrap-anywhere">
              <code>{url}</code>
            </dd>
          </>
        ))}
      </dl>
      {page.entries.length > 0 && (
        <details class="mt-3">
          <summary class="text-muted">{t("Badges of monitors")}</summary>
          <dl class="mt-2 space-y-2">
            {page.entries.map(({ name, badge }) => (
              <div key={badge}>
                <dt>{name}</dt>
                <dd class="text-sm wrap-anywhere">
                  <code>{`${url}/badges/${badge}.svg`}</code>
                </dd>
              </div>
            ))}
          </dl>
          <p class="mt-2 text-sm text-muted">
            {rich(
              "With {ending} at the end it is for shields.io. Nobody can guess these addresses: who has one sees the state of this monitor, on a private page too.",
              { ending: <code>.json</code> },
            )}
          </p>
        </details>
      )}
    </Panel>
  );
}

function Posts({ data, posts }: {
  readonly data: SettingsData;
  readonly posts: readonly StatusPost[];
}) {
  const { path, mayPost, hasMail, subscribers } = data;
  const now = new Date();
  return (
    <Panel
      title={t("Incidents and maintenance")}
      description={hasMail
        ? t("{n} person gets updates by email.|{n} people get updates by email.", {
          n: subscribers,
        })
        : t("Nobody can subscribe by email: the operator has not set SMTP_HOST. There is RSS.")}
      actions={mayPost && (
        <>
          <LinkButton size="sm" href={`${path}/posts/new?kind=incident`}>
            {t("Open incident")}
          </LinkButton>
          <LinkButton size="sm" href={`${path}/posts/new?kind=maintenance`}>
            {t("Plan maintenance")}
          </LinkButton>
        </>
      )}
      flush
    >
      {posts.length === 0 ? <p class="p-4 text-muted">{t("Nothing was written yet.")}</p> : (
        <ul>
          {posts.map((post) => (
            <li
              key={post.postId}
              class="flex flex-wrap items-center justify-between gap-x-4 border-b border-line px-4 py-2.5 last:border-b-0"
            >
              <a class="link min-w-0 wrap-anywhere" href={`${path}/posts/${post.postId}`}>
                {post.title}
              </a>
              <span class="text-sm text-muted">
                {post.kind === "incident" ? stateWords(post.state) : {
                  open: "Maintenance under way",
                  upcoming: "Planned maintenance",
                  past: "Maintenance, over",
                }[phaseOf(post, now)]} · <ExactTime date={post.startsAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function SettingsForm({ data, errors }: {
  readonly data: SettingsData;
  readonly errors: FormErrors;
}) {
  const { page, values } = data;
  return (
    <Panel
      title={page === null ? t("New status page") : t("Page")}
      description={t(
        "What the public sees of your monitors: whether they work, never what they check or what was wrong.",
      )}
    >
      <form method="post" class="max-w-2xl space-y-4">
        <FormSummary errors={errors} />
        <Field
          name="title"
          label={t("Title")}
          value={values.title}
          error={errors.title}
          maxLength={64}
          required
        />
        <Field
          name="slug"
          label={t("Slug")}
          value={values.slug}
          error={errors.slug}
          help={t("The page is at {url}.", { url: `${data.baseUrl}/status/<slug>` })}
          maxLength={50}
          mono
          required
        />
        <Field
          name="about"
          label={t("About")}
          isOptional
          value={values.about}
          error={errors.about}
          rows={2}
          maxLength={MAX_ABOUT}
        />
        <Select
          name="visibility"
          label={t("Who can see it")}
          value={values.visibility}
          options={[
            { value: "public", label: t("Anybody") },
            { value: "private", label: t("Members, and who has a link with a token") },
          ]}
        />
        <Field
          name="host"
          label={t("Own host name")}
          isOptional
          value={values.host}
          error={errors.host}
          help={t(
            "As status.example.com. Have it point to this server, and your proxy pass its Host header on.",
          )}
          maxLength={253}
          mono
        />
        <div class="grid gap-4 sm:grid-cols-2">
          <Field
            name="headColour"
            label={t("Colour of the head")}
            value={values.headColour}
            error={errors.headColour}
            help={t("As #1f2937.")}
            maxLength={7}
            mono
          />
          <Field
            name="linkColour"
            label={t("Colour of links")}
            value={values.linkColour}
            error={errors.linkColour}
            help={t("Made darker or lighter where it could not be read.")}
            maxLength={7}
            mono
          />
        </div>
        <Button name="action" value="settings" kind="primary">
          {page === null ? t("Create status page") : t("Save")}
        </Button>
      </form>
    </Panel>
  );
}

function Entries({ page, errors }: { readonly page: StatusPage; readonly errors: FormErrors }) {
  if (page.entries.length === 0) return null;
  return (
    <Panel
      title={t("Monitors on the page")}
      description={t(
        "Names and groups are what the public reads. Groups stand in the order of their first monitor.",
      )}
    >
      <form method="post" class="space-y-4">
        <FormSummary errors={errors} />
        <ul class="space-y-3">
          {page.entries.map((entry, row) => (
            <li key={entry.badge} class="grid items-center gap-2 sm:grid-cols-[4rem_1fr_1fr_auto]">
              <input type="hidden" name="key" value={entryKey(entry)} />
              <Cell
                name="place"
                label={t("Place of {name}", { name: entry.name })}
                value={String(row + 1)}
                max={4}
              />
              <Cell
                name="name"
                label={t("Public name of {name}", { name: entry.name })}
                value={entry.name}
                max={64}
              />
              <Cell
                name="group"
                label={t("Group of {name}", { name: entry.name })}
                value={entry.group}
                max={MAX_GROUP}
              />
              <label class="flex items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  name="remove"
                  value={entryKey(entry)}
                  aria-label={t("Remove {name}", { name: entry.name })}
                />
                {t("Remove")}
              </label>
            </li>
          ))}
        </ul>
        <Button name="action" value="entries" kind="secondary">{t("Save monitors")}</Button>
      </form>
    </Panel>
  );
}

function Cell({ name, label, value, max }: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly max: number;
}) {
  return (
    <input
      name={name}
      aria-label={label}
      value={value}
      maxLength={max}
      placeholder={name === "group" ? t("no group") : undefined}
      class={`${CONTROL_LOOK} h-9`}
    />
  );
}

function AddMonitors({ page, monitors, errors }: {
  readonly page: StatusPage;
  readonly monitors: SettingsData["monitors"];
  readonly errors: FormErrors;
}) {
  const shown = new Set(page.entries.map(entryKey));
  const others = monitors?.filter((monitor) => !shown.has(entryKey(monitor))) ?? [];
  return (
    <Panel title={t("Add monitors")}>
      {monitors === null && (
        <p>{t("The database is away: monitors can be added when it is back.")}</p>
      )}
      {monitors !== null && others.length === 0 && (
        <p class="text-muted">
          {monitors.length === 0
            ? t(
              "This organization's projects have no uptime monitors and cron jobs yet. Make one in a project, under Monitors.",
            )
            : t("All monitors are on the page.")}
        </p>
      )}
      {others.length > 0 && (
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <ul class="max-h-96 space-y-1.5 overflow-y-auto">
            {others.map((monitor) => (
              <li key={monitor.monitorId}>
                <label class="flex items-start gap-2.5">
                  <input type="checkbox" name="monitor" value={entryKey(monitor)} class="mt-1" />
                  <span class="min-w-0 wrap-anywhere">
                    {monitor.name}{" "}
                    <span class="text-muted">
                      · {monitor.kind === "cron" ? `${t("cron job")} · ` : ""}
                      {monitor.projectName}
                    </span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <Button name="action" value="add">{t("Add")}</Button>
        </form>
      )}
    </Panel>
  );
}

function Logo({ page, errors }: { readonly page: StatusPage; readonly errors: FormErrors }) {
  return (
    <Panel title={t("Logo")} description={t("PNG, JPEG, GIF or WebP of at most 48 KiB.")}>
      <form method="post" enctype="multipart/form-data" class="flex flex-wrap items-end gap-3">
        <FormSummary errors={errors} />
        <label class="min-w-0">
          <span class="mb-1 block font-medium">{t("Picture")}</span>
          <input
            id="field-logo"
            type="file"
            name="logo"
            accept="image/png,image/jpeg,image/gif,image/webp"
            class="max-w-full file:mr-3 file:h-9 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:font-medium file:text-ink"
            required
          />
        </label>
        <Button>{t("Upload")}</Button>
      </form>
      {page.logo !== null && (
        <form method="post" class="mt-3 flex flex-wrap items-center gap-4">
          <img src={`/status/${page.slug}/logo`} alt={t("The logo")} class="max-h-12 max-w-40" />
          <Button name="action" value="remove-logo" size="sm">{t("Remove logo")}</Button>
        </form>
      )}
    </Panel>
  );
}

function Access({ page }: { readonly page: StatusPage }) {
  return (
    <Panel
      title={t("Link with a token")}
      description={t(
        "Lets people without an account see the private page. A new token ends the old one.",
      )}
    >
      <form method="post">
        <Button name="action" value="token">
          {page.tokenHash === null ? t("Make a link") : t("Make a new link")}
        </Button>
      </form>
    </Panel>
  );
}

/** The choice of whether subscribers hear of something. */
export function TellChoice({ hasMail }: { readonly hasMail: boolean }) {
  return hasMail
    ? <Checkbox name="tell" label={t("Notify subscribers by email")} isChecked />
    : null;
}
