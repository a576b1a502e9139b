import { useEffect, useState } from "preact/hooks";
// Before any island is drawn: this one is on every page.
import "../lib/ui/browser_language.ts";
import { message, t } from "../lib/core/language/translate.ts";
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
import { askBeforeFollowing } from "../lib/ui/followed_links.ts";
import { askBeforeSending } from "../lib/ui/sent_forms.ts";

const TIMES_EVERY_MS = 30_000;

/** What could not be done because the service is away. */
interface Waiting {
  readonly what: "form" | "link";
  readonly again: () => void;
}

const WAITING_WORDS = {
  form: message(
    "The form was not sent. What you wrote stands here as before: try again in a moment.",
  ),
  link: message("You are still on this page, so that you do not lose it: try again in a moment."),
} as const;

/**
 * What script adds to every page, in one place and by delegation: copy buttons, current times, menus that
 * close, lists that narrow, rows that the keyboard walks, forms and
 * links that wait for the service. Pages are complete without it,
 * and it draws nothing but that one of these waits.
 */
export default function PageLife() {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
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
    const send = askBeforeSending((again) => setWaiting(again && { what: "form", again }));
    document.addEventListener("submit", send, { signal });
    const follow = askBeforeFollowing((again) => setWaiting(again && { what: "link", again }));
    document.addEventListener("click", follow, { signal });
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, []);
  if (waiting === null) return <span hidden />;
  return (
    <div class="fixed inset-x-4 bottom-4 z-50 mx-auto max-w-xl print:hidden">
      <Alert kind="danger" title={t("Watchpost does not answer")} isLive class="shadow-lg">
        <p>
          {t(WAITING_WORDS[waiting.what])}
        </p>
        <p class="mt-1 flex gap-4">
          <button type="button" class="link" onClick={waiting.again}>{t("Try again")}</button>
          <button type="button" class="link" onClick={() => setWaiting(null)}>{t("Close")}</button>
        </p>
      </Alert>
    </div>
  );
}
