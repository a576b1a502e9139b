import { useEffect } from "preact/hooks";
import {
  closeMenuOnEscape,
  closeMenusOnClick,
  copyOnClick,
  filterOnInput,
  forgetFlash,
  refreshTimes,
  rememberProject,
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
