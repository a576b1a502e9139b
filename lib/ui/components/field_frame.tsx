import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export interface FieldFrameProps {
  /** Id of the control inside. */
  readonly id: string;
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  readonly children: ComponentChildren;
}

/** Label above, control, help and error below; {@linkcode describedBy} ties them to the control. */
export function FieldFrame({ id, label, help, error, isOptional, children }: FieldFrameProps) {
  return (
    <div class="min-w-0">
      <label for={id} class="mb-1 block font-medium">
        {label}
        {isOptional && <span class="ml-1 font-normal text-faint">(optional)</span>}
      </label>
      {children}
      {error && (
        <p id={`${id}-error`} class="mt-1 flex items-start gap-1 text-sm text-danger">
          <Icon name="error" size={14} class="mt-[3px]" />
          <span class="min-w-0 wrap-anywhere">{error}</span>
        </p>
      )}
      {help && <p id={`${id}-help`} class="mt-1 text-sm text-muted">{help}</p>}
    </div>
  );
}

/** Id of the control of a form's field; error summaries link to it. */
export function fieldId(name: string, prefix = ""): string {
  return `field-${prefix}${name}`;
}

/** The control's attributes that tell assistive technology of its help and error. */
export function describedBy(id: string, help: unknown, error: string | undefined) {
  const ids = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(" ");
  return {
    ...(ids ? { "aria-describedby": ids } : {}),
    ...(error ? { "aria-invalid": "true" as const } : {}),
  };
}

/** Look shared by text fields and selects. */
export const CONTROL_LOOK =
  "block w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink " +
  "hover:border-muted aria-invalid:border-danger disabled:bg-sunken disabled:text-muted";
