import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";

export interface ConfirmByNameProps {
  /** What is to be typed, exactly. */
  readonly name: string;
  /** Words of both buttons, as "Delete project". */
  readonly action: string;
  /** What will be gone and for whom. */
  readonly consequence: ComponentChildren;
  /** Keeps ids apart where a page has several. */
  readonly idPrefix: string;
  /** Form fields that say what to do, as `{ action: "delete" }`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Opens it and says what was wrong with what was typed. */
  readonly error?: string | undefined;
  /** `sm` is 28 px high, for lists. @default "md" */
  readonly size?: "sm" | "md";
}

/** Name of the form field that carries what was typed. */
export const CONFIRM_FIELD = "confirm";

/** A dangerous action behind a toggle that wants a name typed; works without script. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { name, action, consequence, idPrefix, fields, error, size = "md" } = props;
  return (
    <details open={error !== undefined} class="open:basis-full">
      <summary
        class={classes(
          "inline-flex items-center rounded-md border font-medium hover:bg-danger-soft",
          // In lists, red on every row would be an alarm on every row.
          size === "sm"
            ? "h-7 border-line px-2 text-sm text-muted hover:border-danger hover:text-danger"
            : "h-9 border-danger px-3 text-danger",
        )}
      >
        {action}…
      </summary>
      <form method="post" class="mt-3 max-w-md space-y-3">
        {Object.entries(fields).map(([key, value]) => (
          <input key={key} type="hidden" name={key} value={value} />
        ))}
        <p>{consequence}</p>
        <Field
          name={CONFIRM_FIELD}
          idPrefix={idPrefix}
          label={
            <>
              Type <code class="rounded-sm bg-sunken px-1 wrap-anywhere">{name}</code> to confirm
            </>
          }
          error={error}
          autocomplete="off"
          required
        />
        <Button kind="danger">{action}</Button>
      </form>
    </details>
  );
}

/** The error to show beside the field, or null when the right name was typed. */
export function checkConfirmation(form: URLSearchParams, name: string): string | null {
  if (form.get(CONFIRM_FIELD)?.trim() === name.trim()) return null;
  return `This is not the name. Type ${name} exactly as it stands here.`;
}
