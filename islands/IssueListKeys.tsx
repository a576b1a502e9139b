import { t } from "../lib/core/language/translate.ts";
import { useEffect, useRef, useState } from "preact/hooks";

const BOXES = "input[type=checkbox][name=issue]";

export interface IssueListKeysProps {
  /** Whether the rows have boxes. */
  readonly isSelectable: boolean;
}

/**
 * A box that chooses all rows of the issue list, and how many are chosen. The list works without it.
 */
export default function IssueListKeys({ isSelectable }: IssueListKeysProps) {
  const all = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);

  useEffect(() => {
    const count = () => {
      const boxes = [...document.querySelectorAll<HTMLInputElement>(BOXES)];
      const checked = boxes.filter((box) => box.checked).length;
      setChosen(checked);
      if (all.current) {
        all.current.checked = checked > 0 && checked === boxes.length;
        all.current.indeterminate = checked > 0 && checked < boxes.length;
      }
    };
    const onChange = (event: Event) => {
      if (event.target instanceof Element && event.target.matches(BOXES)) count();
    };
    count();
    document.addEventListener("change", onChange);
    // The back button brings the page with its boxes as they were left.
    globalThis.addEventListener("pageshow", count);
    return () => {
      document.removeEventListener("change", onChange);
      globalThis.removeEventListener("pageshow", count);
    };
  }, []);

  const chooseAll = (isChecked: boolean) => {
    const boxes = document.querySelectorAll<HTMLInputElement>(BOXES);
    for (const box of boxes) box.checked = isChecked;
    setChosen(isChecked ? boxes.length : 0);
  };

  if (!isSelectable) return <span hidden />;
  if (chosen === null) return <span class="text-sm text-muted">{t("Chosen issues:")}</span>;
  return (
    <label class="flex items-center gap-3 text-sm text-muted">
      <input
        ref={all}
        type="checkbox"
        aria-label={t("Choose all issues of this page")}
        class="size-4 accent-accent-fill"
        onChange={(event) => chooseAll(event.currentTarget.checked)}
      />
      <span class="min-w-18 tabular-nums">
        {chosen === 0 ? t("Choose all") : t("{n} chosen|{n} chosen", { n: chosen })}
      </span>
    </label>
  );
}
