import { type IngestKey, KEY_TYPES } from "../accounts/keys.ts";
import { Button } from "../ui/components/button.tsx";
import { Field } from "../ui/components/field.tsx";
import { type FormErrors, FormSummary } from "../ui/components/form_summary.tsx";
import { Select } from "../ui/components/select.tsx";
import { KEY_TYPE_LABELS } from "./key_types.ts";

export interface KeyFormProps {
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
        label="Name"
        value={key?.name ?? ""}
        error={errors.name}
        help="Where it is used, such as checkout page."
        maxLength={64}
        autocomplete="off"
        required
      />
      <Select
        name="type"
        idPrefix={idPrefix}
        label="Type"
        value={key?.type ?? "server"}
        error={errors.type}
        help="Everybody can read a browser or site key in the page, so it may send SDK events only."
        options={KEY_TYPES.map((type) => ({ value: type, label: KEY_TYPE_LABELS[type] }))}
      />
      <Field
        name="origins"
        idPrefix={idPrefix}
        label="Allowed origins"
        value={(key?.allowedOrigins ?? []).join("\n")}
        error={errors.origins}
        rows={3}
        mono
        help="One a line, such as https://shop.example.com or *.example.com; empty for any. For browser and site keys."
      />
      <Field
        name="rate"
        idPrefix={idPrefix}
        label="Own rate limit"
        value={key?.ratePerSec ? String(key.ratePerSec) : ""}
        error={errors.rate}
        autocomplete="off"
        help="Requests a second; empty for the project's limit alone."
      />
      <Button
        name="action"
        value={key === undefined ? "create" : "update"}
        {...(key === undefined ? { kind: "primary" as const } : {})}
      >
        {key === undefined ? "Create key" : "Save"}
      </Button>
    </form>
  );
}
