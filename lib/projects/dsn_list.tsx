import { dsn, type IngestKey } from "../accounts/keys.ts";
import { CopyButton } from "../ui/components/copy_button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { KEY_TYPE_HELP, KEY_TYPE_LABELS } from "./key_types.ts";

export interface DsnListProps {
  readonly keys: readonly IngestKey[];
  /** `config.baseUrl` */
  readonly baseUrl: string;
}

/** The project's DSNs, each with what it is for and a copy button. */
export function DsnList({ keys, baseUrl }: DsnListProps) {
  return (
    <ul class="space-y-4">
      {keys.map((key) => (
        <li key={key.id}>
          <p class="mb-1">
            <span class="font-medium">{KEY_TYPE_LABELS[key.type]}</span>{" "}
            <span class="text-sm text-muted">{KEY_TYPE_HELP[key.type]}</span>
          </p>
          <DsnField id={`dsn-${key.id}`} value={dsn(baseUrl, key)} what={`${key.name} DSN`} />
        </li>
      ))}
    </ul>
  );
}

export interface DsnFieldProps {
  readonly id: string;
  readonly value: string;
  /** Name of it for screen readers, as "Server DSN". */
  readonly what: string;
}

/** A text to copy: wraps, is selected by one click, and has a copy button. */
export function DsnField({ id, value, what }: DsnFieldProps) {
  return (
    <div class="flex items-start gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
      <code id={id} class="min-w-0 flex-1 py-1 text-sm break-all select-all">{value}</code>
      <CopyButton target={id} what={what} />
    </div>
  );
}

/** In place of the DSNs for people who may not see keys, or when all of them are disabled. */
export function NoDsn({ mayRead }: { readonly mayRead: boolean }) {
  return (
    <p class="flex items-start gap-2 text-muted">
      <Icon name="key" class="mt-[3px]" />
      {mayRead
        ? "This project has no active key. Create or enable one in its settings."
        : "Your role does not show keys. A member of the organization can give you the DSN."}
    </p>
  );
}
