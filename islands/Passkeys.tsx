import { useEffect, useState } from "preact/hooks";
import { t } from "../lib/core/language/translate.ts";
import { Button } from "../lib/ui/components/button.tsx";
import { Field } from "../lib/ui/components/fields.tsx";
import { Alert } from "../lib/ui/components/panel.tsx";
import {
  hasPasskeys,
  makePasskey,
  showPasskey,
  suggestsPasskeys,
} from "../lib/ui/passkeys_in_browser.ts";

interface PasskeysProps {
  /** `add` makes one; `use` shows one; `suggest` shows one, also from the field for the email. */
  readonly mode: "add" | "use" | "suggest";
  /** What gives the challenge, and judges what comes of it. */
  readonly path: string;
  /** Where to go then. @default "" */
  readonly next?: string;
  /** @default "secondary" */
  readonly kind?: "primary" | "secondary";
}

/** The suggestions in the field for the email. */
interface Suggestions {
  /** What ends them, since they give way to the button: a browser takes one request at a time. */
  readonly ending: AbortController;
  /** Of the one that was chosen, while the server judges it: the button does not sign in once more. */
  judged: Promise<string | null> | null;
}

let suggesting: Suggestions | null = null;

/** Makes and shows passkeys: the one thing of an account that needs a script. */
export default function Passkeys({ mode, path, next = "", kind = "secondary" }: PasskeysProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [state, setState] = useState<"unknown" | "ready" | "unsupported">("unknown");

  useEffect(() => {
    setState(hasPasskeys() ? "ready" : "unsupported");
    if (mode !== "suggest") return;
    const suggestions: Suggestions = { ending: new AbortController(), judged: null };
    suggesting = suggestions;
    suggest(path, next, suggestions).then(setProblem, () => {});
    return () => suggestions.ending.abort();
  }, []);

  const act = async () => {
    setProblem(null);
    try {
      if (suggesting?.judged) return setProblem(await suggesting.judged);
      suggesting?.ending.abort();
      setProblem(
        mode === "add" ? await makePasskey(path, nameField()) : await showPasskey({ path, next }),
      );
    } catch (error) {
      setProblem(
        error instanceof DOMException
          ? t("No passkey was chosen, or it took too long. Try again.")
          : t("The server did not answer. Try again."),
      );
    }
  };

  if (state === "unsupported") {
    return <p class="text-sm text-muted">{t("This browser has no passkeys.")}</p>;
  }
  return (
    <div class="space-y-3">
      {problem !== null && <Alert kind="danger" isLive>{problem}</Alert>}
      {mode === "add" && (
        <div class="max-w-md">
          <Field
            name={NAME}
            label={t("Name of the passkey")}
            value={t("My device")}
            maxLength={64}
            autocomplete="off"
          />
        </div>
      )}
      <Button
        type="button"
        kind={kind}
        icon="key"
        disabled={state === "unknown"}
        onClick={act}
        class={mode === "add" ? "" : "w-full"}
      >
        {mode === "add"
          ? t("Add a passkey")
          : mode === "use"
          ? t("Use a passkey")
          : t("Sign in with a passkey")}
      </Button>
    </div>
  );
}

const NAME = "passkeyName";

function nameField(): string {
  const field = document.querySelector(`input[name=${NAME}]`);
  return field instanceof HTMLInputElement ? field.value : "";
}

async function suggest(
  path: string,
  next: string,
  suggestions: Suggestions,
): Promise<string | null> {
  const { signal } = suggestions.ending;
  if (!await suggestsPasskeys() || signal.aborted) return null;
  const onShown = (judged: Promise<string | null>) => suggestions.judged = judged;
  const problem = await showPasskey({ path, next, signal, isSuggested: true, onShown })
    .catch((error) => {
      suggestions.judged = null;
      throw error;
    });
  // What was wrong can be tried again; what was right has led away.
  if (problem !== null) suggestions.judged = null;
  return problem;
}
