import { t } from "../lib/core/language/translate.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Placed } from "../lib/dashboards/layout.ts";
import { dragPanels, saveLayout } from "../lib/dashboards/live.ts";

export interface DashboardLayoutProps {
  /** Where a layout is saved. */
  readonly savePath: string;
  /** Of the dashboard that the page shows. */
  readonly version: number;
  readonly panels: readonly Placed[];
}

interface Said {
  readonly sentence: string;
  /** A layout that was not saved. */
  readonly unsaved: readonly Placed[] | null;
}

/** Lets panels be moved and sized with a pointer, saves at once where they stand, and says so. */
export default function DashboardLayout({ savePath, version, panels }: DashboardLayoutProps) {
  const [said, setSaid] = useState<Said>({ sentence: "", unsaved: null });
  const known = useRef({ version, panels });
  const save = async (placed: readonly Placed[]) => {
    known.current.panels = placed;
    const answer = await saveLayout(savePath, known.current.version, placed);
    if (answer.version !== null) {
      known.current.version = answer.version;
      if (answer.isSaved) tellForms(answer.version);
    }
    setSaid({ sentence: answer.sentence, unsaved: answer.isSaved ? null : placed });
  };
  useEffect(() => {
    const grid = document.querySelector<HTMLElement>("[data-dash-grid]");
    if (grid === null) return;
    return dragPanels(grid, () => known.current.panels, (placed) => void save(placed));
  }, []);
  const { sentence, unsaved } = said;
  return (
    <span class="ml-auto flex flex-wrap items-center gap-2 text-sm text-muted">
      <span class="hidden scripted:inline max-lg:scripted:hidden">
        {t("Drag panels by their heads, size them by their corners.")}
      </span>
      <span role="status" class={unsaved === null ? "text-ok" : "text-danger"}>{sentence}</span>
      {unsaved !== null && (
        <>
          <button type="button" class="underline" onClick={() => void save(unsaved)}>
            {t("Save mine")}
          </button>
          <button type="button" class="underline" onClick={() => location.reload()}>
            {t("Show theirs")}
          </button>
        </>
      )}
    </span>
  );
}

/** The forms of the page change the dashboard as it is now. */
function tellForms(version: number): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("input[name=version]")) {
    field.value = String(version);
  }
}
