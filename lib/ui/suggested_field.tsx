import type { ComponentChildren } from "preact";
import { classes } from "./components/class_names.ts";
import { CONTROL_LOOK, describedBy, FieldFrame, fieldId } from "./components/field_frame.tsx";

export interface SuggestedFieldProps {
  readonly name: string;
  readonly label: ComponentChildren;
  /** @default "text" */
  readonly type?: "text" | "time";
  readonly value: string;
  /** What the browser offers while one types. @default none */
  readonly suggestions?: readonly string[];
  readonly help?: ComponentChildren;
  readonly error?: string | undefined;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** In the face of code. @default false */
  readonly mono?: boolean;
}

/** A text field with suggestions, which are no more than that. */
export function SuggestedField(props: SuggestedFieldProps) {
  const { name, label, type = "text", value, suggestions = [], help, error } = props;
  const id = fieldId(name);
  const listId = `${id}-list`;
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      <input
        id={id}
        type={type}
        name={name}
        value={value}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        autocomplete="off"
        spellcheck={false}
        list={suggestions.length > 0 ? listId : undefined}
        class={classes(CONTROL_LOOK, "h-9", props.mono && "font-mono text-sm")}
        {...describedBy(id, help, error)}
      />
      {suggestions.length > 0 && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => <option key={suggestion} value={suggestion} />)}
        </datalist>
      )}
    </FieldFrame>
  );
}
