import { rich, t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { classes, Icon } from "./icon.tsx";

/** What a form carries on beside its fields, as the scope of its page. */
export function HiddenFields(
  { pairs }: { readonly pairs: Iterable<readonly [name: string, value: string]> },
) {
  return (
    <>
      {[...pairs].map(([name, value], place) => (
        <input key={place} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

interface FieldProps {
  /** Name in the form data; also makes the id. */
  readonly name: string;
  readonly label: ComponentChildren;
  /** Keeps ids apart where a page has two forms with the same names. */
  readonly idPrefix?: string;
  /** @default "text" */
  readonly type?:
    | "text"
    | "email"
    | "password"
    | "search"
    | "url"
    | "number"
    | "date"
    | "datetime-local";
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
  const { maxLength, autofocus } = props;
  const id = fieldId(name, idPrefix);
  const common = {
    id,
    name,
    value,
    required,
    autocomplete,
    placeholder,
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

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
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

interface CheckboxProps {
  /** Name in the form data. */
  readonly name: string;
  /** What it sends. @default "on" */
  readonly value?: string;
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
  /** At the end of the line: a figure, a badge. */
  readonly aside?: ComponentChildren;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
}

/** A labelled choice of yes or no. */
export function Checkbox(
  { name, value, label, help, aside, isChecked, isDisabled }: CheckboxProps,
) {
  return (
    <label class="flex items-start gap-2.5">
      <input
        type="checkbox"
        name={name}
        value={value}
        checked={isChecked}
        disabled={isDisabled}
        class="mt-1 size-4 shrink-0 accent-accent-fill"
      />
      <span class="min-w-0 flex-1 wrap-anywhere">
        <span class="font-medium">{label}</span>
        {help && <span class="block text-sm text-muted">{help}</span>}
      </span>
      {aside && <span class="shrink-0 text-sm text-muted tabular-nums">{aside}</span>}
    </label>
  );
}

interface FieldFrameProps {
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
        {/* A blank, where long words of other languages may break. */}
        {isOptional && (
          <>
            {" "}
            <span class="font-normal text-faint">{t("(optional)")}</span>
          </>
        )}
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

/** What is wrong with a form: field name → sentence. The name `""` stands for the form as a whole. */
export type FormErrors = Readonly<Record<string, string>>;

interface FormSummaryProps {
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

interface ConfirmByNameProps {
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
        <HiddenFields pairs={Object.entries(fields)} />
        <p>{consequence}</p>
        <Field
          name={CONFIRM_FIELD}
          idPrefix={idPrefix}
          label={
            <>
              {rich("Type <name>NAME</name> to confirm", {
                name: () => <code class="rounded-sm bg-sunken px-1 wrap-anywhere">{name}</code>,
              })}
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
  return t("This is not the name. Type {name} exactly as it stands here.", { name });
}
