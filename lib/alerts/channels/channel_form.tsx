import { channelsPath } from "../../ui/links.ts";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { Button, CopyField } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../ui/components/fields.tsx";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { type Channel, CHANNEL_TYPES, type ChannelType } from "./channels.ts";
import { CHANNEL_TYPE_NAMES, type SettingsInput } from "./settings.ts";

interface ChannelFormProps {
  readonly type: ChannelType;
  /** What the fields show by name; secrets are left out of it. */
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
  /** A channel that exists: empty secrets stay as they are. */
  readonly isExisting: boolean;
}

/** Name and settings of a channel. */
export function ChannelForm({ type, values, errors, isExisting }: ChannelFormProps) {
  const { help, fields } = CHANNEL_KINDS[type];
  return (
    <form method="post" class="max-w-2xl space-y-4">
      <FormSummary errors={errors} />
      <p class="text-muted">{help}</p>
      <Field
        name="name"
        label="Name"
        value={values.name ?? ""}
        error={errors.name}
        help="What it is called in alert rules."
        placeholder={`${CHANNEL_TYPE_NAMES[type]} of the on-call team`}
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
          isExisting={isExisting}
        />
      ))}
      <Button kind="primary" name="action" value={isExisting ? "update" : "create"}>
        {isExisting ? "Save" : "Create channel"}
      </Button>
    </form>
  );
}

interface SettingFieldProps {
  readonly field: ChannelField;
  readonly value: string;
  readonly error: string | undefined;
  readonly isExisting: boolean;
}

function SettingField({ field, value, error, isExisting }: SettingFieldProps) {
  const isKept = isExisting && field.isSecret;
  return (
    <Field
      name={field.name}
      label={field.label}
      value={value}
      error={error}
      help={isKept ? `${field.help} Leave it empty to keep the one that is set.` : field.help}
      placeholder={field.placeholder}
      autocomplete="off"
      mono
      required={!isKept}
      {...field.rows === undefined ? {} : { rows: field.rows }}
    />
  );
}

interface ChannelField {
  readonly name: keyof SettingsInput;
  readonly label: string;
  readonly help: string;
  readonly placeholder: string;
  /** Never shown again; empty keeps it. */
  readonly isSecret: boolean;
  /** Several lines. */
  readonly rows?: number;
}

interface ChannelKind {
  /** One line for the choice of a type. */
  readonly summary: string;
  /** Where to find what the form asks for. */
  readonly help: string;
  readonly icon: IconName;
  readonly fields: readonly ChannelField[];
}

function hookField(
  placeholder: string,
  help = "Whoever has it can post to the channel, so it is kept sealed.",
): ChannelField {
  return { name: "url", label: "Webhook address", help, placeholder, isSecret: true };
}

/** What each type of channel asks for, and where people find it. */
const CHANNEL_KINDS: Readonly<Record<ChannelType, ChannelKind>> = {
  email: {
    summary: "Mail to one or more addresses.",
    help: "Goes out through the mail server of this instance.",
    icon: "feedback",
    fields: [{
      name: "addresses",
      label: "Mail addresses",
      help: "One a line, at most 20. Everybody sees who else has it.",
      placeholder: "oncall@example.com",
      isSecret: false,
      rows: 3,
    }],
  },
  slack: {
    summary: "A channel of Slack, Mattermost or Rocket.Chat.",
    help:
      "In Slack: Apps → Incoming Webhooks → Add to Slack, choose the channel, copy the webhook URL. In Mattermost: Integrations → Incoming Webhooks. Rocket.Chat: Workspace → Integrations → Incoming.",
    icon: "feedback",
    fields: [hookField("https://hooks.slack.com/services/T…/B…/…")],
  },
  teams: {
    summary: "A channel or chat of Microsoft Teams.",
    help:
      "In Teams: the channel's menu → Workflows → “Send webhook alerts to a channel”, then copy the address that the workflow shows. Addresses of the retired Office connectors do not work.",
    icon: "members",
    fields: [hookField("https://….logic.azure.com/workflows/…")],
  },
  discord: {
    summary: "A text channel of a Discord server.",
    help: "In Discord: Edit Channel → Integrations → Webhooks → New Webhook → Copy Webhook URL.",
    icon: "feedback",
    fields: [hookField("https://discord.com/api/webhooks/…")],
  },
  telegram: {
    summary: "A chat, group or channel of Telegram, by a bot.",
    help:
      "Write /newbot to @BotFather for a token and add the bot to the chat. A group's number is in the answer of https://api.telegram.org/bot<token>/getUpdates after somebody wrote there.",
    icon: "feedback",
    fields: [
      {
        name: "token",
        label: "Token of the bot",
        help: "As BotFather shows it.",
        placeholder: "123456789:AAF3kX…",
        isSecret: true,
      },
      {
        name: "chatId",
        label: "Chat",
        help: "A number, negative for groups, or @name of a public channel.",
        placeholder: "-1001234567890",
        isSecret: false,
      },
    ],
  },
  pagerduty: {
    summary: "Incidents of a PagerDuty service, opened and resolved.",
    help:
      "In PagerDuty: Services → the service → Integrations → Add an integration → Events API V2, then copy its integration key.",
    icon: "alerts",
    fields: [{
      name: "routingKey",
      label: "Integration key",
      help: "32 letters and digits.",
      placeholder: "R0…",
      isSecret: true,
    }],
  },
  webhook: {
    summary: "A signed JSON request to a program of yours.",
    help:
      "Each notice is posted as JSON with a signature. The README has the shape of the body and how to check the signature.",
    icon: "endpoints",
    fields: [
      hookField(
        "https://ops.example.com/watchpost",
        "It has ten seconds to answer with 2xx. After 408, 429 and 5xx it is tried again for hours.",
      ),
    ],
  },
};

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
              <span class="block font-medium">{CHANNEL_TYPE_NAMES[type]}</span>
              <span class="block text-sm text-muted">{CHANNEL_KINDS[type].summary}</span>
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
}

/** What a channel is, and a button to try it. */
export function ChannelCard({ channel, mayWrite, isReadable }: ChannelCardProps) {
  return (
    <Panel
      title={<span class="wrap-anywhere">{channel.name}</span>}
      id="channel"
      actions={<a class="link" href={channelsPath(channel.projectId)}>All channels</a>}
    >
      {!isReadable && (
        <Alert kind="danger" title="The settings cannot be read any more" class="mb-4">
          <code>SERVICE_SECRET_KEY</code> has changed since they were saved. Enter them again below.
        </Alert>
      )}
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">Type</dt>
        <dd>{CHANNEL_TYPE_NAMES[channel.type]}</dd>
        <dt class="text-muted">Leads to</dt>
        <dd>
          <code class="wrap-anywhere">{channel.target}</code>
        </dd>
        <dt class="text-muted">Changed</dt>
        <dd class="wrap-anywhere">
          <RelativeTime date={channel.updatedAt} />
          {channel.updatedBy !== "" && ` by ${channel.updatedBy}`}
        </dd>
      </dl>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="test">Send test</Button>
        </form>
      )}
    </Panel>
  );
}

/** A signing secret that was just made: shown this once. */
export function NewSigningSecret({ secret }: { readonly secret: string }) {
  return (
    <Alert kind="ok" title="The signing secret" isLive>
      <p class="mb-2">Copy it now: it is kept sealed and cannot be shown again.</p>
      <CopyField id="signing-secret" value={secret} what="signing secret" />
    </Alert>
  );
}

/** How a receiver checks that a request is ours, and a new secret for when the old one leaked. */
export function SignaturePanel({ mayWrite }: { readonly mayWrite: boolean }) {
  return (
    <Panel title="Signature" id="signature">
      <p class="max-w-3xl">
        The header <code>X-Watchpost-Signature</code> is{" "}
        <code>t=&lt;seconds&gt;,v1=&lt;hex&gt;</code>: HMAC-SHA256 of{" "}
        <code>t</code>, a dot and the body as it arrived, by the channel's secret. Refuse what is
        older than five minutes. <code>X-Watchpost-Delivery</code>{" "}
        is the same at every attempt, so that what came twice can be told.
      </p>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="renew">Make a new secret</Button>
          <p class="mt-1 text-sm text-muted">The old one signs nothing from then on.</p>
        </form>
      )}
    </Panel>
  );
}
