import { t } from "../lib/core/language/translate.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  applyCompletion,
  type Completion,
  tokenAt,
  type TokenAtCaret,
} from "../lib/ui/search_completion.ts";

export interface IssueSearchAssistProps {
  /** Id of the search field, which stands in the page already. */
  readonly inputId: string;
  readonly keys: readonly string[];
  /** Answers `?key=…&prefix=…` with a JSON list of values. */
  readonly completionsPath: string;
}

const MAX_SHOWN = 8;
const WAIT_MS = 120;

/** What the list box shows, and which entry the arrow keys have reached; -1 for none. */
interface ListBox {
  readonly found: readonly Completion[];
  readonly active: number;
}

const CLOSED: ListBox = { found: [], active: -1 };

/** Completes real keys and values while one types a search: a list box under the field. */
export default function IssueSearchAssist(props: IssueSearchAssistProps) {
  const { inputId, keys, completionsPath } = props;
  const [{ found, active }, setShown] = useState(CLOSED);
  // Keys come faster than renderings: what they act on is what was decided last, not what was drawn last.
  const latest = useRef(CLOSED);
  const listId = `${inputId}-list`;

  const show = (box: ListBox) => {
    latest.current = box;
    setShown(box);
    const input = fieldOf(inputId);
    if (input) describe(input, listId, box);
  };

  const choose = (completion: Completion) => {
    const input = fieldOf(inputId);
    if (!input) return;
    const { text, caret } = applyCompletion(input.value, completion);
    input.value = text;
    input.setSelectionRange(caret, caret);
    input.focus();
    show(CLOSED);
    if (!completion.isValue) input.dispatchEvent(new Event("input", { bubbles: true }));
  };

  useEffect(() => {
    const input = fieldOf(inputId);
    if (!input) return;
    describe(input, listId, CLOSED);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const round = ++asked;
        const token = tokenAt(input.value, input.selectionStart ?? input.value.length);
        const completions = await completionsOf(token, keys, completionsPath);
        if (round !== asked || document.activeElement !== input) return;
        show({ found: completions, active: -1 });
      }, WAIT_MS);
    };
    const leave = () => {
      asked++;
      show(CLOSED);
    };
    const onKey = (event: KeyboardEvent) => {
      const { found, active } = latest.current;
      if (found.length === 0) return;
      const completion = found[active];
      const { key } = event;
      if (key === "ArrowDown") show({ found, active: (active + 1) % found.length });
      else if (key === "ArrowUp") {
        show({ found, active: (active + found.length + 1) % (found.length + 1) - 1 });
      } else if (key === "Escape") show(CLOSED);
      else if ((key === "Enter" || key === "Tab") && completion) choose(completion);
      else return;
      event.preventDefault();
    };
    const end = new AbortController();
    const { signal } = end;
    input.addEventListener("input", look, { signal });
    input.addEventListener("blur", leave, { signal });
    input.addEventListener("keydown", onKey, { signal });
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [inputId, keys, completionsPath]);

  if (found.length === 0) return <span hidden />;
  return (
    <ul
      id={listId}
      role="listbox"
      aria-label={t("Completions")}
      class="absolute top-full left-0 z-40 mt-1 max-h-80 w-full max-w-md overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float"
    >
      {found.map((completion, index) => (
        <li
          key={completion.text}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === active}
          class="cursor-pointer truncate rounded-md px-2 py-1 font-mono text-sm aria-selected:bg-accent-soft aria-selected:text-accent hover:bg-hover"
          // The field must keep the focus, or its blur would take the list away before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(completion)}
        >
          {completion.label}
        </li>
      ))}
    </ul>
  );
}

function fieldOf(id: string): HTMLInputElement | null {
  const field = document.getElementById(id);
  return field instanceof HTMLInputElement ? field : null;
}

/** Tells assistive technology of the list under the field. */
function describe(input: HTMLInputElement, listId: string, { found, active }: ListBox): void {
  const isOpen = found.length > 0;
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", String(isOpen));
  if (isOpen) input.setAttribute("aria-controls", listId);
  else input.removeAttribute("aria-controls");
  if (active >= 0) input.setAttribute("aria-activedescendant", `${listId}-${active}`);
  else input.removeAttribute("aria-activedescendant");
}

async function completionsOf(
  token: TokenAtCaret,
  keys: readonly string[],
  completionsPath: string,
): Promise<Completion[]> {
  if (token.key === null) {
    if (token.prefix === "") return [];
    const wanted = token.prefix.toLowerCase();
    return keys.filter((key) => key.toLowerCase().startsWith(wanted)).slice(0, MAX_SHOWN)
      .map((key) => ({ token, text: key, label: `${key}:`, isValue: false }));
  }
  const values = await valuesOf(completionsPath, token.key, token.prefix);
  return values.slice(0, MAX_SHOWN)
    .map((value) => ({ token, text: value, label: value, isValue: true }));
}

/** No answer means no completions: typing on is always possible. */
async function valuesOf(path: string, key: string, prefix: string): Promise<string[]> {
  try {
    const response = await fetch(`${path}?${new URLSearchParams({ key, prefix })}`);
    const values: unknown = response.ok ? await response.json() : [];
    return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
  } catch {
    return [];
  }
}
