import { channelsPath } from "../../ui/links.ts";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Button, CopyField } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "../../ui/components/fields.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { CHANNEL_KINDS, CHANNEL_TYPES, type ChannelType } from "./channel_types.ts";
import { NONE } from "../../ui/format.ts";
import type { Channel } from "./channels.ts";
import type { ChannelField } from "./kind.ts";
import { rich, t } from "../../core/language/translate.ts";

interface ChannelFormProps {
  readonly type: ChannelType;
  /** What the fields show by name; secrets are left out of it. */
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** Whether the channel is there already. */
  readonly isExisting: boolean;
  /** Whether it has secrets, which stay as they are when they are left empty. @default as it exists */
  readonly hasSettings?: boolean;
}

/** Name and settings of a channel. */
export function ChannelForm(
  { type, values, errors, isExisting, hasSettings = isExisting }: ChannelFormProps,
) {
  const { label, help, fields } = CHANNEL_KINDS[type];
  return (
    <form method="post" class="max-w-2xl space-y-4">
      <FormSummary errors={errors} />
      <p class="text-muted">{t(help)}</p>
      <Field
        name="name"
        label={t("Name")}
        value={values.name ?? ""}
        error={errors.name}
        help={t("What it is called in alert rules.")}
        placeholder={t("{channel} of the on-call team", { channel: label })}
        maxLength={64}
        autocomplete="off"
        required
      />
      {fields.map((field) => (
        <SettingField
          key={field.name}
          field={field}
          value={field.isSecret ? "" : values[field.name] ?? ""}
          error={errors[field.name]}
          hasSettings={hasSettings}
        />
      ))}
      <Button kind="primary" name="action" value={isExisting ? "update" : "create"}>
        {isExisting ? t("Save") : t("Create channel")}
      </Button>
    </form>
  );
}

interface SettingFieldProps {
  readonly field: ChannelField;
  readonly value: string;
  readonly error: string | undefined;
  readonly hasSettings: boolean;
}

function SettingField({ field, value, error, hasSettings }: SettingFieldProps) {
  const isKept = hasSettings && field.isSecret;
  if (field.options !== undefined) {
    return (
      <Select
        name={field.name}
        label={t(field.label)}
        options={field.options}
        value={value === "" ? field.placeholder : value}
        error={error}
        help={t(field.help)}
      />
    );
  }
  return (
    <Field
      name={field.name}
      label={t(field.label)}
      value={value}
      error={error}
      help={isKept
        ? t("{help} Leave it empty to keep the one that is set.", { help: t(field.help) })
        : t(field.help)}
      placeholder={field.placeholder}
      autocomplete="off"
      mono
      required={!isKept}
      {...field.rows === undefined ? {} : { rows: field.rows }}
    />
  );
}

/** The types of channels to choose from, each a link to its form. */
export function TypeChoice({ projectId }: { readonly projectId: string }) {
  return (
    <ul class="grid gap-3 sm:grid-cols-2">
      {CHANNEL_TYPES.map((type) => (
        <li key={type}>
          <a
            href={`${channelsPath(projectId)}/new?type=${type}`}
            class="flex h-full items-start gap-3 rounded-lg border border-line-strong p-3 hover:bg-hover"
          >
            <Icon name={CHANNEL_KINDS[type].icon} class="mt-[3px] text-muted" />
            <span class="min-w-0">
              <span class="block font-medium">{t(CHANNEL_KINDS[type].label)}</span>
              <span class="block text-sm text-muted">{t(CHANNEL_KINDS[type].summary)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ChannelCardProps {
  readonly channel: Channel;
  readonly mayWrite: boolean;
  /** False: the key that sealed its settings is not the instance's any more. */
  readonly isReadable: boolean;
  /** The alerts and uptime monitors that notify it. */
  readonly tellers: readonly Teller[];
}

/** What notifies a channel, by its name. */
export interface Teller {
  readonly name: string;
  readonly href: string;
}

/** What a channel is, and a button to try it. */
export function ChannelCard({ channel, mayWrite, isReadable, tellers }: ChannelCardProps) {
  return (
    <Panel
      title={<span class="wrap-anywhere">{channel.name}</span>}
      id="channel"
      actions={<a class="link" href={channelsPath(channel.projectId)}>{t("All channels")}</a>}
    >
      {channel.awaitsSettings && (
        <Alert kind="warning" title={t("Nothing goes out through this channel yet")} class="mb-4">
          {t(
            "An import made it: secrets never leave the instance that has them. Enter the settings below. Until then every delivery fails; those can be sent again from here.",
          )}
        </Alert>
      )}
      {!channel.awaitsSettings && !isReadable && (
        <Alert kind="danger" title={t("The settings cannot be read any more")} class="mb-4">
          {rich(
            "{setting} has changed since they were saved. Enter them again below.",
            { setting: <code>SERVICE_SECRET_KEY</code> },
          )}
        </Alert>
      )}
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">{t("Type")}</dt>
        <dd>{t(CHANNEL_KINDS[channel.type].label)}</dd>
        <dt class="text-muted">{channel.awaitsSettings ? t("Led to") : t("Leads to")}</dt>
        <dd>
          <code class="wrap-anywhere">{channel.target}</code>
        </dd>
        <dt class="text-muted">{t("Notified by")}</dt>
        <dd>
          {tellers.length === 0 ? NONE : (
            <ul>
              {tellers.map(({ name, href }) => (
                <li key={href}>
                  <a class="link wrap-anywhere" href={href}>
                    <bdi>{name}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt class="text-muted">{t("Changed")}</dt>
        <dd class="wrap-anywhere">
          <RelativeTime date={channel.updatedAt} />
          {channel.updatedBy !== "" && ` ${t("by {name}", { name: channel.updatedBy })}`}
        </dd>
      </dl>
      {mayWrite && !channel.awaitsSettings && (
        <form method="post" class="mt-4">
          <Button name="action" value="test">{t("Send test")}</Button>
        </form>
      )}
    </Panel>
  );
}

/** A signing secret that was just made: shown this once. */
export function NewSigningSecret({ secret }: { readonly secret: string }) {
  return (
    <Alert kind="ok" title={t("The signing secret")} isLive>
      <p class="mb-2">{t("Copy it now: it is kept sealed and cannot be shown again.")}</p>
      <CopyField id="signing-secret" value={secret} what={t("signing secret")} />
    </Alert>
  );
}

/** How a receiver checks that a request is ours, and a new secret for when the old one leaked. */
export function SignaturePanel({ mayWrite }: { readonly mayWrite: boolean }) {
  return (
    <Panel title={t("Signature")} id="signature">
      <p class="max-w-3xl">
        {rich(
          "The header {header} is {form}: HMAC-SHA256 of {t}, a dot and the body as it arrived, by the channel's secret. Refuse what is older than five minutes. {delivery} is the same at every attempt, so that what came twice can be told.",
          {
            header: <code>X-Watchpost-Signature</code>,
            form: <code>t=&lt;seconds&gt;,v1=&lt;hex&gt;</code>,
            t: <code>t</code>,
            delivery: <code>X-Watchpost-Delivery</code>,
          },
        )}
      </p>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="renew">{t("Make a new secret")}</Button>
          <p class="mt-1 text-sm text-muted">{t("The old one signs nothing from then on.")}</p>
        </form>
      )}
    </Panel>
  );
}
