import { classes } from "./class_names.ts";
import { Icon } from "./icon.tsx";

export interface CopyButtonProps {
  /** Id of the element whose text is copied (a field's value, when it is a field). */
  readonly target: string;
  /** What is copied, for screen readers, as "DSN". */
  readonly what: string;
  /** Shows the icon alone. @default false */
  readonly isCompact?: boolean;
  readonly class?: string;
}

/**
 * Copies another element's text. Shown once the page's script runs (`islands/PageLife.tsx` listens for
 * clicks on `data-copy`), since without it the text can still be selected.
 */
export function CopyButton({ target, what, isCompact = false, class: extra }: CopyButtonProps) {
  return (
    <button
      type="button"
      data-copy={target}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      class={classes(
        "invisible inline-flex h-7 items-center gap-1 rounded-md border border-line bg-surface px-1.5",
        "text-sm text-muted hover:bg-hover hover:text-ink scripted:visible",
        extra,
      )}
    >
      <Icon name="copy" size={14} class="in-data-copied:hidden" />
      <Icon name="check" size={14} class="hidden text-ok in-data-copied:block" />
      {!isCompact && (
        <span aria-hidden="true" class="max-sm:hidden">
          <span class="in-data-copied:hidden">Copy</span>
          <span class="hidden in-data-copied:inline">Copied</span>
        </span>
      )}
    </button>
  );
}
