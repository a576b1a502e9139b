import { classes } from "../../ui/components/class_names.ts";
import { CONTROL_LOOK, describedBy, FieldFrame, fieldId } from "../../ui/components/field_frame.tsx";

export interface SuggestedFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly string[];
  readonly help: string;
  readonly maxLength: number;
}

/** A text field that need not be filled, with what others have entered. */
export function SuggestedField(props: SuggestedFieldProps) {
  const { name, label, value, suggestions, help, maxLength } = props;
  const id = fieldId(name);
  const listId = `${id}-suggestions`;
  return (
    <FieldFrame id={id} label={label} help={help} isOptional>
      <input
        id={id}
        name={name}
        value={value}
        list={listId}
        maxLength={maxLength}
        autocomplete="off"
        {...describedBy(id, help, undefined)}
        class={classes(CONTROL_LOOK, "h-9")}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => <option key={suggestion} value={suggestion} />)}
      </datalist>
    </FieldFrame>
  );
}
