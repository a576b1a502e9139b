import { useEffect } from "preact/hooks";
// Before any island is drawn: this one is on every page.
import "../lib/ui/browser_language.ts";
import {
  closeMenuOnEscape,
  closeMenusOnClick,
  copyOnClick,
  filterOnInput,
  forgetFlash,
  refreshTimes,
  rememberProject,
  showCurrentTabs,
  submitOnChange,
  walkRows,
} from "../lib/ui/page_life.ts";

const TIMES_EVERY_MS = 30_000;

/**
 * What script adds to every page, in one place and by delegation: copy buttons, current times, menus that
 * close, lists that narrow, rows that the keyboard walks. It draws nothing; pages are complete without it.
 */
export default function PageLife() {
  useEffect(() => {
    document.documentElement.dataset.script = "on";
    rememberProject();
    forgetFlash();
    showCurrentTabs();
    refreshTimes(document);
    const timer = setInterval(() => refreshTimes(document), TIMES_EVERY_MS);
    const end = new AbortController();
    const { signal } = end;
    document.addEventListener("click", copyOnClick, { signal });
    document.addEventListener("click", closeMenusOnClick, { signal });
    document.addEventListener("keydown", closeMenuOnEscape, { signal });
    document.addEventListener("keydown", walkRows, { signal });
    document.addEventListener("change", submitOnChange, { signal });
    document.addEventListener("input", filterOnInput, { signal });
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, []);
  return <span hidden />;
}
