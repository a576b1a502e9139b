import type { ComponentChildren } from "preact";
import { classes, Icon, type IconName } from "./components/icon.tsx";
import { CONTROL_LOOK, describedBy, FieldFrame, fieldId } from "./components/fields.tsx";

interface ChoiceTile {
  readonly value: string;
  readonly icon: IconName;
  readonly label: string;
  readonly help: ComponentChildren;
}

interface ChoiceTilesProps {
  readonly name: string;
  /** What is chosen, read out. */
  readonly legend: string;
  readonly tiles: readonly ChoiceTile[];
  readonly value: string;
}

/** A choice of one of a few, each with a sentence. */
export function ChoiceTiles({ name, legend, tiles, value }: ChoiceTilesProps) {
  return (
    <fieldset>
      <legend class="sr-only">{legend}</legend>
      <div class="grid gap-2 md:grid-cols-3">
        {tiles.map((tile) => (
          <label
            key={tile.value}
            class="flex cursor-pointer items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              value={tile.value}
              checked={tile.value === value}
              class="mt-1 size-4 shrink-0 accent-accent-fill"
            />
            <span class="min-w-0">
              <span class="flex items-center gap-1.5 font-medium">
                <Icon name={tile.icon} size={14} class="text-muted" />
                {tile.label}
              </span>
              <span class="block text-sm text-muted">{tile.help}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SuggestedFieldProps {
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
