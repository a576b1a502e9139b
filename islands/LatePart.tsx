import { t } from "../lib/core/language/translate.ts";
import { useEffect, useState } from "preact/hooks";
import { Alert } from "../lib/ui/components/panel.tsx";
import { pageAgain } from "../lib/ui/page_again.ts";

export interface LatePartProps {
  /** Id of what holds the place of the part on this page, and of the part on the other. */
  readonly part: string;
  /** Answers the page with the part, however long that takes. */
  readonly href: string;
  /** Says that it could not be loaded. */
  readonly failed: string;
}

type Loading = "waiting" | "failed" | "done";

/** Fetches a part of the page that took longer than the page could wait. Without script the page is asked for again. */
export default function LatePart({ part, href, failed }: LatePartProps) {
  const [loading, setLoading] = useState<Loading>("waiting");
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    const asking = new AbortController();
    const load = async () => {
      setLoading("waiting");
      const place = document.getElementById(part);
      place?.removeAttribute("hidden");
      const found = (await pageAgain(href, asking.signal))?.getElementById(part) ?? null;
      if (asking.signal.aborted) return;
      if (found === null) place?.setAttribute("hidden", "");
      else place?.replaceWith(document.adoptNode(found));
      setLoading(found === null ? "failed" : "done");
    };
    void load();
    return () => asking.abort();
  }, [part, href, attempt]);

  if (loading !== "failed") return <span hidden />;
  return (
    <Alert kind="warning" title={failed} isLive>
      <button type="button" class="link" onClick={() => setAttempt(attempt + 1)}>
        {t("Try again")}
      </button>
    </Alert>
  );
}
