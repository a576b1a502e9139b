import type { ComponentChildren } from "preact";

export interface CheckboxProps {
  /** Name in the form data; sends `on`. */
  readonly name: string;
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
  /** At the end of the line: a figure, a badge. */
  readonly aside?: ComponentChildren;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
}

/** A labelled choice of yes or no. */
export function Checkbox({ name, label, help, aside, isChecked, isDisabled }: CheckboxProps) {
  return (
    <label class="flex items-start gap-2.5">
      <input
        type="checkbox"
        name={name}
        checked={isChecked}
        disabled={isDisabled}
        class="mt-1 size-4 shrink-0 accent-accent-fill"
      />
      <span class="min-w-0 flex-1">
        <span class="font-medium">{label}</span>
        {help && <span class="block text-sm text-muted">{help}</span>}
      </span>
      {aside && <span class="shrink-0 text-sm text-muted tabular-nums">{aside}</span>}
    </label>
  );
}
