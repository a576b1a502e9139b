import { type Message, t } from "../core/language/translate.ts";
import type { KeyUsage } from "../usage/mod.ts";
import type { ComponentChildren } from "preact";
import { dsn, type IngestKey, KEY_TYPES, type KeyType } from "../accounts/keys.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button, CopyField } from "../ui/components/button.tsx";
import {
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { formatExactOf } from "../ui/format.ts";

interface KeyCardProps {
  readonly ingestKey: IngestKey;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  /** Of the last 24 hours; undefined when nothing came with it. */
  readonly usage: KeyUsage | undefined;
  readonly mayWrite: boolean;
  /** What was wrong with the form sent for this key, and which one it was. */
  readonly errors: FormErrors;
  readonly failedAction: string | null;
}

/** One key: its DSN, what it is for, whether it works and is used, and what can be done with it. */
export function KeyCard(props: KeyCardProps) {
  const { ingestKey: key, baseUrl, usage, mayWrite } = props;
  const origins = key.allowedOrigins ?? [];
  return (
    <Panel
      title={
        <span class="flex flex-wrap items-center gap-2">
          <span class="wrap-anywhere">{key.name}</span>
          <Badge
            tone={key.type === "server" ? "info" : "accent"}
            title={t(KEY_TYPE_HELP[key.type])}
          >
            {t(KEY_TYPE_LABELS[key.type])}
          </Badge>
          {key.isActive
            ? <Badge tone="ok" icon="ok">{t("active")}</Badge>
            : <Badge tone="neutral" icon="ignored">{t("disabled")}</Badge>}
        </span>
      }
      id={`key-${key.id}`}
      description={t(KEY_TYPE_HELP[key.type])}
    >
      <CopyField
        id={`dsn-${key.id}`}
        value={dsn(baseUrl, key)}
        what={t("{name} DSN", { name: key.name })}
      />
      <dl class="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:grid-cols-4">
        <Fact label={t("Last used")}>
          {usage ? <RelativeTime date={usage.lastUsedAt} /> : t("not in 24 hours")}
        </Fact>
        <Fact label={t("Accepted, 24 h")}>
          {formatExactOf(usage?.accepted ?? 0, "{n} request|{n} requests")}
        </Fact>
        <Fact label={t("Refused, 24 h")}>
          {formatExactOf(usage?.refused ?? 0, "{n} request|{n} requests")}
        </Fact>
        <Fact label={key.issuedAt ? t("Reissued") : t("Created")}>
          <RelativeTime date={key.issuedAt ?? key.createdAt} />
        </Fact>
        {key.ratePerSec && (
          <Fact label={t("Own limit")}>{t("{rate}/s", { rate: key.ratePerSec })}</Fact>
        )}
        {key.type !== "server" && <Fact label={t("Lasting id")}>{key.id}</Fact>}
        {key.type !== "server" && (
          <Fact label={t("Pages that may send")}>
            {origins.length === 0
              ? t("any@@page")
              : <span class="wrap-anywhere">{origins.join(", ")}</span>}
          </Fact>
        )}
      </dl>
      {!key.isActive && (
        <p class="mt-2 text-sm text-muted">{t("Apps that use it are answered with 401.")}</p>
      )}
      {mayWrite && <KeyActions {...props} />}
    </Panel>
  );
}

function Fact(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="tabular-nums">{children}</dd>
    </div>
  );
}

function KeyActions({ ingestKey: key, usage, errors, failedAction }: KeyCardProps) {
  const { [CONFIRM_FIELD]: confirmError, ...formErrors } = errors;
  const traffic = usage === undefined || usage.accepted === 0
    ? t("Nothing was sent with it in the last 24 hours.")
    : t(
      "{n} request came with it in the last 24 hours.|{n} requests came with it in the last 24 hours.",
      { n: usage.accepted },
    );
  return (
    <div class="mt-4 flex flex-wrap items-start gap-2 border-t border-line pt-4">
      <form method="post">
        <input type="hidden" name="key" value={key.id} />
        {key.isActive
          ? <Button name="action" value="disable">{t("Disable")}</Button>
          : <Button name="action" value="enable">{t("Enable")}</Button>}
      </form>
      <details open={Object.keys(formErrors).length > 0} class="open:basis-full">
        <summary class="inline-flex h-9 items-center rounded-md border border-line-strong px-3 font-medium hover:bg-hover">
          {t("Change…")}
        </summary>
        <KeyForm ingestKey={key} errors={formErrors} />
      </details>
      <ConfirmByName
        name={key.name}
        action={t("Reissue key")}
        idPrefix={`${key.id}-reissue-`}
        fields={{ action: "reissue", key: key.id }}
        error={failedAction === "reissue" ? confirmError : undefined}
        consequence={t(
          "The key gets a new DSN, and apps with the old one are refused with 401 from the next request on, until they have the new one. {traffic}",
          { traffic },
        )}
      />
      <ConfirmByName
        name={key.name}
        action={t("Revoke key")}
        idPrefix={`${key.id}-`}
        fields={{ action: "revoke", key: key.id }}
        error={failedAction === "revoke" ? confirmError : undefined}
        consequence={t(
          "Apps that use this key are refused from the next request on, for good. {traffic} What they sent before stays. To stop them for a while, disable the key instead.",
          { traffic },
        )}
      />
    </div>
  );
}

interface KeyFormProps {
  /** The key to change; absent for a new one. */
  readonly ingestKey?: IngestKey;
  readonly errors: FormErrors;
}

/** Name, type, origins and rate of a key. */
export function KeyForm({ ingestKey: key, errors }: KeyFormProps) {
  const idPrefix = key === undefined ? "new-" : `${key.id}-`;
  return (
    <form method="post" class="mt-3 max-w-md space-y-4">
      <FormSummary errors={errors} idPrefix={idPrefix} />
      {key !== undefined && <input type="hidden" name="key" value={key.id} />}
      <Field
        name="name"
        idPrefix={idPrefix}
        label={t("Name")}
        value={key?.name ?? ""}
        error={errors.name}
        help={t("Where it is used, such as checkout page.")}
        maxLength={64}
        autocomplete="off"
        required
      />
      <Select
        name="type"
        idPrefix={idPrefix}
        label={t("Type")}
        value={key?.type ?? "server"}
        error={errors.type}
        help={t(
          "Everybody can read a browser or site key in the page, so it may send SDK events only.",
        )}
        options={KEY_TYPES.map((type) => ({ value: type, label: t(KEY_TYPE_LABELS[type]) }))}
      />
      <Field
        name="origins"
        idPrefix={idPrefix}
        label={t("Allowed origins")}
        value={(key?.allowedOrigins ?? []).join("\n")}
        error={errors.origins}
        rows={3}
        mono
        help={t(
          "One a line, such as https://shop.example.com or *.example.com; empty for any. For browser and site keys.",
        )}
      />
      <Field
        name="rate"
        idPrefix={idPrefix}
        label={t("Own rate limit")}
        value={key?.ratePerSec ? String(key.ratePerSec) : ""}
        error={errors.rate}
        autocomplete="off"
        help={t("Requests a second; empty for the project's limit alone.")}
      />
      <Button
        name="action"
        value={key === undefined ? "create" : "update"}
        {...(key === undefined ? { kind: "primary" as const } : {})}
      >
        {key === undefined ? t("Create key") : t("Save")}
      </Button>
    </form>
  );
}

interface DsnListProps {
  readonly keys: readonly IngestKey[];
  /** `config.baseUrl` */
  readonly baseUrl: string;
}

/** The project's DSNs, each with what it is for and a copy button. */
export function DsnList({ keys, baseUrl }: DsnListProps) {
  return (
    <ul class="space-y-4">
      {keys.map((key) => (
        <li key={key.id}>
          <p class="mb-1">
            <span class="font-medium">{t(KEY_TYPE_LABELS[key.type])}</span>{" "}
            <span class="text-sm text-muted">{t(KEY_TYPE_HELP[key.type])}</span>
          </p>
          <CopyField
            id={`dsn-${key.id}`}
            value={dsn(baseUrl, key)}
            what={t("{name} DSN", { name: key.name })}
          />
        </li>
      ))}
    </ul>
  );
}

/** In place of the DSNs for people who may not see keys, or when all of them are disabled. */
export function NoDsn({ mayRead }: { readonly mayRead: boolean }) {
  return (
    <p class="flex items-start gap-2 text-muted">
      <Icon name="key" class="mt-[3px]" />
      {mayRead
        ? t("This project has no active key. Create or enable one in its settings.")
        : t("Your role does not show keys. A member of the organization can give you the DSN.")}
    </p>
  );
}

/** What a kind of key is called. */
const KEY_TYPE_LABELS: Readonly<Record<KeyType, Message>> = {
  server: "Server key",
  browser: "Browser key",
  site: "Site key",
};

/** What a kind of key is for. */
const KEY_TYPE_HELP: Readonly<Record<KeyType, Message>> = {
  server: "For servers and jobs: may send everything. Keep it out of public code.",
  browser: "For web pages and apps: everybody can read it there, so it may send SDK events only.",
  site: "For the extension of a site: its server half and its pages share this one DSN.",
};
