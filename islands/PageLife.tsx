import { useEffect, useState } from "preact/hooks";
// Before any island is drawn: this one is on every page.
import "../lib/ui/browser_language.ts";
import { t } from "../lib/core/language/translate.ts";
import { Alert } from "../lib/ui/components/panel.tsx";
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
import { askBeforeSending, type SendAgain } from "../lib/ui/sent_forms.ts";

const TIMES_EVERY_MS = 30_000;

/**
 * What script adds to every page, in one place and by delegation: copy buttons, current times, menus that
 * close, lists that narrow, rows that the keyboard walks, forms that wait for the service. Pages are complete without it,
 * and it draws nothing but that a form could not be sent.
 */
export default function PageLife() {
  // In an object: a function would be called for the next state.
  const [unsent, setUnsent] = useState<{ readonly again: SendAgain } | null>(null);
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
    const ask = askBeforeSending((again) => setUnsent(again && { again }));
    document.addEventListener("submit", ask, { signal });
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, []);
  if (unsent === null) return <span hidden />;
  return (
    <div class="fixed inset-x-4 bottom-4 z-50 mx-auto max-w-xl print:hidden">
      <Alert kind="danger" title={t("Watchpost does not answer")} isLive class="shadow-lg">
        <p>
          {t("The form was not sent. What you wrote stands here as before: try again in a moment.")}
        </p>
        <p class="mt-1 flex gap-4">
          <button type="button" class="link" onClick={unsent.again}>{t("Try again")}</button>
          <button type="button" class="link" onClick={() => setUnsent(null)}>{t("Close")}</button>
        </p>
      </Alert>
    </div>
  );
}
