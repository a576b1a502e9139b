import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { CONTROL_LOOK, describedBy, FieldFrame, fieldId } from "./field_frame.tsx";

export interface FieldProps {
  /** Name in the form data; also makes the id. */
  readonly name: string;
  readonly label: ComponentChildren;
  /** Keeps ids apart where a page has two forms with the same names. */
  readonly idPrefix?: string;
  /** @default "text" */
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "datetime-local";
  readonly value?: string;
  /** Below the field: what it is for, what is allowed. */
  readonly help?: ComponentChildren;
  /** What is wrong with what was sent. */
  readonly error?: string | undefined;
  /** @default false */
  readonly required?: boolean;
  /** Says "(optional)" beside the label. @default false */
  readonly isOptional?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
  /** In the face of code: ids, keys, tokens. @default false */
  readonly mono?: boolean;
  /** Several lines. */
  readonly rows?: number;
}

/** A labelled text field. */
export function Field(props: FieldProps) {
  const { name, label, idPrefix, help, error, isOptional, mono = false, rows } = props;
  const { type = "text", value, required, autocomplete, placeholder } = props;
  const { minLength, maxLength, autofocus } = props;
  const id = fieldId(name, idPrefix);
  const common = {
    id,
    name,
    value,
    required,
    autocomplete,
    placeholder,
    minLength,
    maxLength,
    autofocus,
    ...describedBy(id, help, error),
  };
  const look = classes(CONTROL_LOOK, mono && "font-mono");
  return (
    <FieldFrame id={id} label={label} help={help} error={error} isOptional={isOptional ?? false}>
      {rows
        ? <textarea {...common} rows={rows} class={classes(look, "py-2")} />
        : <input {...common} type={type} class={classes(look, "h-9")} />}
    </FieldFrame>
  );
}
