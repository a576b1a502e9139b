import { dsn, type IngestKey } from "../../control/keys.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { CONFIRM_FIELD, ConfirmByName } from "../components/confirm_by_name.tsx";
import { Field } from "../components/field.tsx";
import { type FormErrors, FormSummary } from "../components/form_summary.tsx";
import { Panel } from "../components/panel.tsx";
import { RelativeTime } from "../components/relative_time.tsx";
import { DsnField } from "../setup/dsn_list.tsx";
import { KEY_TYPE_HELP, KEY_TYPE_LABELS } from "./key_types.ts";

export interface KeyCardProps {
  readonly ingestKey: IngestKey;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  readonly mayWrite: boolean;
  /** What was wrong with the form sent for this key. */
  readonly errors: FormErrors;
}

/** One key: its DSN, what it is for, whether it works, and what can be done with it. */
export function KeyCard({ ingestKey: key, baseUrl, mayWrite, errors }: KeyCardProps) {
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
      <p class="mt-2 text-sm text-muted">
        Created <RelativeTime date={key.createdAt} />
        {!key.isActive && " · apps that use it are answered with 401"}
      </p>
      {mayWrite && <KeyActions ingestKey={key} errors={errors} />}
    </Panel>
  );
}

function KeyActions({ ingestKey: key, errors }: Pick<KeyCardProps, "ingestKey" | "errors">) {
  const idPrefix = `${key.id}-`;
  const { [CONFIRM_FIELD]: confirmError, ...renameErrors } = errors;
  return (
    <div class="mt-4 flex flex-wrap items-start gap-2 border-t border-line pt-4">
      <form method="post">
        <input type="hidden" name="key" value={key.id} />
        {key.isActive
          ? <Button name="action" value="disable">Disable</Button>
          : <Button name="action" value="enable">Enable</Button>}
      </form>
      <details open={Object.keys(renameErrors).length > 0} class="open:basis-full">
        <summary class="inline-flex h-9 items-center rounded-md border border-line-strong px-3 font-medium hover:bg-hover">
          Rename…
        </summary>
        <form method="post" class="mt-3 w-72 max-w-full space-y-3">
          <FormSummary errors={renameErrors} idPrefix={idPrefix} />
          <input type="hidden" name="key" value={key.id} />
          <Field
            name="name"
            idPrefix={idPrefix}
            label="Name"
            value={key.name}
            error={renameErrors.name}
            maxLength={64}
            autocomplete="off"
            required
          />
          <Button name="action" value="rename">Save name</Button>
        </form>
      </details>
      <ConfirmByName
        name={key.name}
        action="Delete key"
        idPrefix={idPrefix}
        fields={{ action: "delete", key: key.id }}
        error={confirmError}
        consequence="Apps that use this key are refused from the next request on, for good. What they sent before stays. To stop them for a while, disable the key instead."
      />
    </div>
  );
}
