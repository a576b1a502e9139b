import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { CONTROL_LOOK, describedBy, FieldFrame, fieldId } from "./field_frame.tsx";
import { Icon } from "./icon.tsx";

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface SelectProps {
  /** Name in the form data; also makes the id. */
  readonly name: string;
  readonly options: readonly Option[];
  /** The chosen option's value. */
  readonly value?: string;
  /** Without one, pass `aria-label`. */
  readonly label?: ComponentChildren;
  readonly "aria-label"?: string;
  readonly idPrefix?: string;
  readonly help?: ComponentChildren;
  readonly error?: string | undefined;
  /** `sm` is 28 px high, for bars and table rows. @default "md" */
  readonly size?: "sm" | "md";
  /** Id of the form, when the select stands outside of it. */
  readonly form?: string;
}

/** A native choice of one, with a label above or, in bars, without. */
export function Select(props: SelectProps) {
  const { name, options, value, label, idPrefix, help, error, size = "md", form } = props;
  const id = fieldId(name, idPrefix);
  const control = (
    <span class="relative block">
      <select
        id={id}
        name={name}
        form={form}
        aria-label={props["aria-label"]}
        {...describedBy(id, help, error)}
        class={classes(CONTROL_LOOK, "appearance-none pr-8", size === "sm" ? "h-7 text-sm" : "h-9")}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon
        name="chevron-down"
        size={14}
        class="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
  if (!label) return control;
  return <FieldFrame id={id} label={label} help={help} error={error}>{control}</FieldFrame>;
}
