import { useEffect } from "preact/hooks";
import { copyOnClick } from "../lib/ui/copy.ts";
import { filterOnInput } from "../lib/ui/list_filter.ts";
import { closeMenuOnEscape, closeMenusOnClick } from "../lib/ui/menus.ts";
import { walkRows } from "../lib/ui/row_keys.ts";
import { refreshTimes } from "../lib/ui/times.ts";
import { forgetFlash, rememberProject } from "../lib/ui/visits.ts";

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
    refreshTimes(document);
    const timer = setInterval(() => refreshTimes(document), TIMES_EVERY_MS);
    document.addEventListener("click", copyOnClick);
    document.addEventListener("click", closeMenusOnClick);
    document.addEventListener("keydown", closeMenuOnEscape);
    document.addEventListener("keydown", walkRows);
    document.addEventListener("input", filterOnInput);
    return () => {
      clearInterval(timer);
      document.removeEventListener("click", copyOnClick);
      document.removeEventListener("click", closeMenusOnClick);
      document.removeEventListener("keydown", closeMenuOnEscape);
      document.removeEventListener("keydown", walkRows);
      document.removeEventListener("input", filterOnInput);
    };
  }, []);
  return <span hidden />;
}
