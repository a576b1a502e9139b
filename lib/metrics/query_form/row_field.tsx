import type { ComponentChildren } from "preact";
import { classes } from "../../ui/components/class_names.ts";
import { CONTROL_LOOK } from "../../ui/components/field_frame.tsx";
import type { FieldProblem } from "../read_exploration.ts";

/** Look of the fields of a row. */
export const ROW_CONTROL = classes(CONTROL_LOOK, "h-8 text-sm");

/** Id of a field by its name; summaries of errors link to it. */
export function rowFieldId(name: string): string {
  return `field-${name}`;
}

export interface RowFieldProps {
  readonly name: string;
  readonly label: string;
  readonly problems: readonly FieldProblem[];
  readonly class: string;
  /** The control, which has the attributes of {@linkcode rowControl}. */
  readonly children: ComponentChildren;
}

/** A small label, the control, and what is wrong with it. */
export function RowField({ name, label, problems, class: extra, children }: RowFieldProps) {
  const own = problems.filter(({ field }) => field === name);
  return (
    <div class={classes("min-w-0", extra)}>
      <label for={rowFieldId(name)} class="block text-meta text-muted">{label}</label>
      {children}
      {own.map(({ message }) => (
        <p key={message} id={`${rowFieldId(name)}-error`} class="mt-0.5 text-sm text-danger">
          {message}
        </p>
      ))}
    </div>
  );
}

/** Attributes of the control of a row's field. */
export function rowControl(name: string, problems: readonly FieldProblem[]) {
  const isWrong = problems.some(({ field }) => field === name);
  return {
    id: rowFieldId(name),
    name,
    class: ROW_CONTROL,
    ...isWrong && {
      "aria-invalid": "true" as const,
      "aria-describedby": `${rowFieldId(name)}-error`,
    },
  };
}
