import type { ChannelType } from "./channels.ts";
import { CHANNEL_TYPE_NAMES } from "./settings.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field } from "../../ui/components/field.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { CHANNEL_KINDS, type ChannelField } from "./channel_kinds.ts";

export interface ChannelFormProps {
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
