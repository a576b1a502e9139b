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

/** What ends the suggestions, which give way to the button: a browser takes one request at a time. */
let suggesting: AbortController | null = null;

/** Makes and shows passkeys: the one thing of an account that needs a script. */
export default function Passkeys({ mode, path, next = "", kind = "secondary" }: PasskeysProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [state, setState] = useState<"unknown" | "ready" | "unsupported">("unknown");

  useEffect(() => {
    setState(hasPasskeys() ? "ready" : "unsupported");
    if (mode !== "suggest") return;
    const ending = new AbortController();
    suggesting = ending;
    suggest(path, next, ending.signal).then(setProblem, () => {});
    return () => ending.abort();
  }, []);

  const act = async () => {
    setProblem(null);
    suggesting?.abort();
    try {
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

async function suggest(path: string, next: string, signal: AbortSignal): Promise<string | null> {
  if (!await suggestsPasskeys() || signal.aborted) return null;
  return await showPasskey({ path, next, signal, isSuggested: true });
}
