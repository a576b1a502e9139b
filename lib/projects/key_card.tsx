import type { ComponentChildren } from "preact";
import { dsn, type IngestKey } from "../accounts/keys.ts";
import type { KeyUsage } from "../usage/key_hours.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import { CONFIRM_FIELD, ConfirmByName } from "../ui/components/confirm_by_name.tsx";
import type { FormErrors } from "../ui/components/form_summary.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { formatExactOf } from "../ui/format.ts";
import { DsnField } from "./dsn_list.tsx";
import { KeyForm } from "./key_form.tsx";
import { KEY_TYPE_HELP, KEY_TYPE_LABELS } from "./key_types.ts";

export interface KeyCardProps {
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
          <Badge tone={key.type === "server" ? "info" : "accent"} title={KEY_TYPE_HELP[key.type]}>
            {KEY_TYPE_LABELS[key.type]}
          </Badge>
          {key.isActive
            ? <Badge tone="ok" icon="ok">active</Badge>
            : <Badge tone="neutral" icon="ignored">disabled</Badge>}
        </span>
      }
      id={`key-${key.id}`}
      description={KEY_TYPE_HELP[key.type]}
    >
      <DsnField id={`dsn-${key.id}`} value={dsn(baseUrl, key)} what={`DSN of ${key.name}`} />
      <dl class="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm sm:grid-cols-4">
        <Fact label="Last used">
          {usage ? <RelativeTime date={usage.lastUsedAt} /> : "not in 24 hours"}
        </Fact>
        <Fact label="Accepted, 24 h">{formatExactOf(usage?.accepted ?? 0, "requests")}</Fact>
        <Fact label="Refused, 24 h">{formatExactOf(usage?.refused ?? 0, "requests")}</Fact>
        <Fact label={key.issuedAt ? "Reissued" : "Created"}>
          <RelativeTime date={key.issuedAt ?? key.createdAt} />
        </Fact>
        {key.ratePerSec && <Fact label="Own limit">{key.ratePerSec} /s</Fact>}
        {key.type !== "server" && (
          <Fact label="Pages that may send">
            {origins.length === 0 ? "any" : <span class="wrap-anywhere">{origins.join(", ")}</span>}
          </Fact>
        )}
      </dl>
      {!key.isActive && (
        <p class="mt-2 text-sm text-muted">Apps that use it are answered with 401.</p>
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
    ? "Nothing was sent with it in the last 24 hours."
    : `${formatExactOf(usage.accepted, "requests")} came with it in the last 24 hours.`;
  return (
    <div class="mt-4 flex flex-wrap items-start gap-2 border-t border-line pt-4">
      <form method="post">
        <input type="hidden" name="key" value={key.id} />
        {key.isActive
          ? <Button name="action" value="disable">Disable</Button>
          : <Button name="action" value="enable">Enable</Button>}
      </form>
      <details open={Object.keys(formErrors).length > 0} class="open:basis-full">
        <summary class="inline-flex h-9 items-center rounded-md border border-line-strong px-3 font-medium hover:bg-hover">
          Change…
        </summary>
        <KeyForm ingestKey={key} errors={formErrors} />
      </details>
      <ConfirmByName
        name={key.name}
        action="Reissue key"
        idPrefix={`${key.id}-reissue-`}
        fields={{ action: "reissue", key: key.id }}
        error={failedAction === "reissue" ? confirmError : undefined}
        consequence={`The key gets a new DSN, and apps with the old one are refused with 401 from the next request on, until they have the new one. ${traffic}`}
      />
      <ConfirmByName
        name={key.name}
        action="Revoke key"
        idPrefix={`${key.id}-`}
        fields={{ action: "revoke", key: key.id }}
        error={failedAction === "revoke" ? confirmError : undefined}
        consequence={`Apps that use this key are refused from the next request on, for good. ${traffic} What they sent before stays. To stop them for a while, disable the key instead.`}
      />
    </div>
  );
}
