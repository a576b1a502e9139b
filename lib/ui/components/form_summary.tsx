import { fieldId } from "./field_frame.tsx";
import { Icon } from "./icon.tsx";

/** What is wrong with a form: field name → sentence. The name `""` stands for the form as a whole. */
export type FormErrors = Readonly<Record<string, string>>;

export interface FormSummaryProps {
  readonly errors: FormErrors;
  /** As given to the fields. */
  readonly idPrefix?: string;
}

/** All errors of a form above it, each a link to its field. Renders nothing without errors. */
export function FormSummary({ errors, idPrefix }: FormSummaryProps) {
  const entries = Object.entries(errors);
  if (entries.length === 0) return null;
  return (
    <div role="alert" class="flex gap-2 rounded-md border border-danger bg-danger-soft px-3 py-2">
      <Icon name="error" class="mt-[3px] text-danger" />
      <ul class="min-w-0 space-y-0.5 text-danger wrap-anywhere">
        {entries.map(([name, message]) => (
          <li key={name}>
            {name === ""
              ? message
              : <a href={`#${fieldId(name, idPrefix)}`} class="underline">{message}</a>}
          </li>
        ))}
      </ul>
    </div>
  );
}
