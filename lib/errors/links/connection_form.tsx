import { trackerPath, trackersPath } from "../../ui/links.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button, CopyField } from "../../ui/components/button.tsx";
import { Checkbox, Field, type FormErrors, FormSummary } from "../../ui/components/fields.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { NONE } from "../../ui/format.ts";
import type { Connection } from "./connections.ts";
import { TRACKER_KINDS, TRACKER_TYPES, type TrackerType } from "./tracker_types.ts";
import { rich, t } from "../../core/language/translate.ts";

/** The trackers of a project, and how they do. */
export function ConnectionList({ connections }: { readonly connections: readonly Connection[] }) {
  return (
    <RowTable
      caption={t("Issue trackers")}
      density="comfortable"
      rows={connections}
      rowKey={({ connectionId }) => connectionId}
      columns={[
        {
          label: t("Name@@thing"),
          cell: ({ projectId, connectionId, name }) => (
            <a
              class="row-link link font-medium wrap-anywhere"
              href={trackerPath(projectId, connectionId)}
            >
              {name}
            </a>
          ),
        },
        {
          label: t("Type"),
          cellClass: "whitespace-nowrap",
          class: "max-md:hidden",
          cell: ({ type }) => t(TRACKER_KINDS[type].label),
        },
        {
          label: t("Leads to"),
          class: "max-md:hidden",
          cell: ({ type, settings }) => (
            <code class="text-muted wrap-anywhere">{TRACKER_KINDS[type].placeOf(settings)}</code>
          ),
        },
        { label: t("State"), cell: StateOf },
      ]}
    />
  );
}

function StateOf({ askedAt, lastError, heardAt }: Connection) {
  if (lastError !== "") {
    return (
      <Badge tone="danger" icon="error" title={lastError}>
        {t("does not respond as it should")}
      </Badge>
    );
  }
  const last = [askedAt, heardAt].filter((date) => date !== null).sort((a, b) => +b - +a)[0];
  if (last === undefined) return <span class="text-muted">{NONE}</span>;
  return (
    <span class="flex flex-wrap items-center gap-x-2">
      <Badge tone="ok" icon="ok">{t("works")}</Badge>
      <span class="text-muted">
        <RelativeTime date={last} />
      </span>
    </span>
  );
}

/** The types of trackers to choose from, each a link to its form. */
export function TrackerTypeChoice({ projectId }: { readonly projectId: string }) {
  return (
    <ul class="grid gap-3 sm:grid-cols-2">
      {TRACKER_TYPES.map((type) => (
        <li key={type}>
          <a
            href={`${trackersPath(projectId)}/new?type=${type}`}
            class="flex h-full items-start gap-3 rounded-lg border border-line-strong p-3 hover:bg-hover"
          >
            <Icon name="issues" class="mt-[3px] text-muted" />
            <span class="min-w-0">
              <span class="block font-medium">{t(TRACKER_KINDS[type].label)}</span>
              <span class="block text-sm text-muted">{t(TRACKER_KINDS[type].summary)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ConnectionFormProps {
  readonly type: TrackerType;
  /** What the fields show by name; the token is left out of it. */
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** A tracker that exists: an empty token stays as it is. */
  readonly isExisting: boolean;
}

/** Name, place and token of a tracker. */
export function ConnectionForm({ type, values, errors, isExisting }: ConnectionFormProps) {
  const { fields, api } = TRACKER_KINDS[type];
  return (
    <form method="post" class="max-w-2xl space-y-4">
      <FormSummary errors={errors} />
      <Field
        name="name"
        label={t("Name@@thing")}
        value={values.name ?? ""}
        error={errors.name}
        help={t("What it is called on issues.")}
        maxLength={64}
        autocomplete="off"
        required
      />
      {fields.map(({ name, label, help, placeholder, isOptional }) => (
        <Field
          key={name}
          name={name}
          label={t(label)}
          value={values[name] ?? ""}
          error={errors[name]}
          help={t(help)}
          placeholder={placeholder}
          autocomplete="off"
          required={isOptional !== true}
          isOptional={isOptional ?? false}
          mono
        />
      ))}
      {api !== null && (
        <>
          <Field
            name="token"
            label={t("Token")}
            type="password"
            error={errors.token}
            help={isExisting
              ? t("{tokenHelp} Leave it empty to keep the one that is set; a dash removes it.", {
                tokenHelp: t(api.tokenHelp),
              })
              : t(api.tokenHelp)}
            autocomplete="off"
            isOptional
            mono
          />
          <Checkbox
            name="closes"
            label={t("Close issues there when they are resolved here")}
            help={t(
              "Needs the token. What is resolved from now on is closed; nothing is opened again.",
            )}
            isChecked={values.closes === "on"}
          />
        </>
      )}
      <Button kind="primary" name="action" value={isExisting ? "update" : "create"}>
        {isExisting ? t("Save") : t("Add tracker")}
      </Button>
    </form>
  );
}

interface ConnectionCardProps {
  readonly connection: Connection;
  readonly mayWrite: boolean;
  /** False: the key that sealed its token is not the instance's any more. */
  readonly isReadable: boolean;
  readonly hasToken: boolean;
}

/** What a tracker is, and a button to try it. */
export function ConnectionCard(
  { connection, mayWrite, isReadable, hasToken }: ConnectionCardProps,
) {
  const { type, settings, askedAt, lastError, updatedAt, updatedBy } = connection;
  const kind = TRACKER_KINDS[type];
  return (
    <Panel
      title={<span class="wrap-anywhere">{connection.name}</span>}
      id="tracker"
      actions={<a class="link" href={trackersPath(connection.projectId)}>{t("All trackers")}</a>}
    >
      {!isReadable && (
        <Alert kind="danger" title={t("The token cannot be read any more")} class="mb-4">
          {rich(
            "<code>SERVICE_SECRET_KEY</code> has changed since it was saved. Enter it again below.",
            { code: (words) => <code>{words}</code> },
          )}
        </Alert>
      )}
      {lastError !== "" && (
        <Alert kind="danger" title={t("It does not respond as it should")} class="mb-4">
          {lastError}
        </Alert>
      )}
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">{t("Type")}</dt>
        <dd>{t(kind.label)}</dd>
        <dt class="text-muted">{t("Leads to")}</dt>
        <dd>
          <code class="wrap-anywhere">{kind.placeOf(settings)}</code>
        </dd>
        {kind.api !== null && (
          <>
            <dt class="text-muted">{t("Token")}</dt>
            <dd>{hasToken ? t("Set, and kept sealed") : t("None: filled forms and links only")}</dd>
          </>
        )}
        <dt class="text-muted">{t("Last asked")}</dt>
        <dd>{askedAt === null ? NONE : <RelativeTime date={askedAt} />}</dd>
        <dt class="text-muted">{t("Changed")}</dt>
        <dd class="wrap-anywhere">
          {updatedBy === "" ? <RelativeTime date={updatedAt} /> : rich("{time} by {person}", {
            time: <RelativeTime date={updatedAt} />,
            person: updatedBy,
          })}
        </dd>
      </dl>
      {mayWrite && kind.api !== null && hasToken && (
        <form method="post" class="mt-4">
          <Button name="action" value="test">{t("Test the connection")}</Button>
        </form>
      )}
    </Panel>
  );
}

interface HookSecretProps {
  readonly secret: string;
  readonly url: string;
  readonly type: TrackerType;
}

/** A webhook's secret that was just made: shown this once. */
export function NewHookSecret({ secret, url, type }: HookSecretProps) {
  const isInAddress = TRACKER_KINDS[type].hook.isSecretInAddress === true;
  return (
    <Alert kind="ok" title={t("The webhook's secret")} isLive>
      <p class="mb-2">
        {t(
          "Copy it now: it is kept sealed and cannot be shown again. Give it to the tracker's webhook, so that what is closed there is resolved here.",
        )}
      </p>
      <CopyField id="hook-secret" value={secret} what={t("secret")} />
      {isInAddress && (
        <>
          <p class="my-2">{t("Or as part of the address:")}</p>
          <CopyField id="hook-secret-url" value={`${url}?secret=${secret}`} what={t("address")} />
        </>
      )}
    </Alert>
  );
}

interface HookPanelProps {
  readonly connection: Connection;
  readonly url: string;
  readonly mayWrite: boolean;
}

/** Where the tracker tells us what happened, and when it did last. */
export function HookPanel({ connection: { type, heardAt }, url, mayWrite }: HookPanelProps) {
  return (
    <Panel
      title={t("Webhook")}
      id="webhook"
      description={t(
        "What is closed there is resolved here, and what is opened again is unresolved. Comments stay where they are.",
      )}
    >
      <p class="mb-3 max-w-3xl">{t(TRACKER_KINDS[type].hook.help)}</p>
      <CopyField id="hook-url" value={url} what={t("address")} />
      <p class="mt-2 text-sm text-muted">
        {heardAt === null
          ? t("Nothing has come yet.")
          : rich("Told something last {time}.", { time: <RelativeTime date={heardAt} /> })}
      </p>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="renew">{t("Make a new secret")}</Button>
          <p class="mt-1 text-sm text-muted">{t("The old one proves nothing from then on.")}</p>
        </form>
      )}
    </Panel>
  );
}
