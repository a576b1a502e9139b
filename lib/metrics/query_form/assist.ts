/** Completes what is typed in the fields of a query builder; runs in the browser. */

/** What stands under a field; null when nothing does. */
export interface Suggestions {
  readonly input: HTMLInputElement;
  readonly found: readonly Completion[];
  /** What the arrow keys have reached; -1 for none. */
  readonly active: number;
}

const WAIT_MS = 120;
const MAX_SHOWN = 12;
const FIELDS: readonly string[] = ["metric", "labels", "filter"] satisfies CompletedField[];

/** Completes the fields of one builder by events of its element. */
export class Assist {
  readonly #end = new AbortController();
  #shown: Suggestions | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  /** @param show draws the list; null takes it away */
  constructor(
    readonly builder: HTMLElement,
    readonly path: string,
    readonly show: (suggestions: Suggestions | null) => void,
  ) {
    const { signal } = this.#end;
    builder.addEventListener("input", this.#onInput, { signal });
    builder.addEventListener("focusin", this.#onInput, { signal });
    builder.addEventListener("focusout", () => this.#close(), { signal });
    builder.addEventListener("keydown", this.#onKey, { signal });
    builder.addEventListener("change", this.#onChange, { signal });
    for (const input of builder.querySelectorAll<HTMLInputElement>("[data-complete]")) {
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-autocomplete", "list");
      input.setAttribute("aria-expanded", "false");
    }
  }

  stop(): void {
    this.#end.abort();
    clearTimeout(this.#timer);
  }

  /** Puts a completion into its field. */
  choose(completion: Completion): void {
    if (this.#shown === null) return;
    const { input } = this.#shown;
    const field = fieldOf(input);
    this.#close();
    if (field === null) return;
    // More may have been typed since the list was asked for.
    const place = placeAt(field, input.value, input.selectionStart ?? input.value.length);
    const { text, caret } = withCompletion(field, input.value, place, completion.text);
    input.value = text;
    input.focus();
    input.setSelectionRange(caret, caret);
    if (field === "metric") void this.#offerAggregations(input);
    else if (text.endsWith("=")) this.#look(input);
  }

  #onInput = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement && fieldOf(target) !== null) this.#look(target);
  };

  #onChange = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement && fieldOf(target) === "metric") {
      void this.#offerAggregations(target);
    }
  };

  #onKey = (event: KeyboardEvent): void => {
    const shown = this.#shown;
    if (shown === null) return;
    const { found, active } = shown;
    const completion = found[active];
    const count = found.length;
    if (event.key === "ArrowDown") this.#update({ ...shown, active: (active + 1) % count });
    else if (event.key === "ArrowUp") {
      this.#update({ ...shown, active: (active + count + 1) % (count + 1) - 1 });
    } else if (event.key === "Escape") this.#close();
    else if ((event.key === "Enter" || event.key === "Tab") && completion) this.choose(completion);
    else return;
    event.preventDefault();
  };

  #look(input: HTMLInputElement): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const field = fieldOf(input);
      if (field === null) return;
      const round = ++this.#asked;
      const place = placeAt(field, input.value, input.selectionStart ?? input.value.length);
      const metric = metricOf(input)?.value ?? "";
      const found = await fetchCompletions(this.path, place, metric);
      if (round !== this.#asked || document.activeElement !== input) return;
      const shown = found.slice(0, MAX_SHOWN);
      const isDone = shown.length === 1 && shown[0]?.text === place.prefix;
      // What the arrow keys have reached stays so when the answer to the last letter comes after it.
      const reached = this.#shown?.found[this.#shown.active]?.text;
      const active = shown.findIndex(({ text }) => text === reached);
      this.#update(shown.length === 0 || isDone ? null : { input, found: shown, active });
    }, WAIT_MS);
  }

  /** Another metric has other aggregations: the usual one is chosen, unless the old one fits as well. */
  async #offerAggregations(input: HTMLInputElement): Promise<void> {
    const row = input.closest("fieldset");
    const select = row?.querySelector("select[name$='.agg']");
    const chosenFor = row?.querySelector<HTMLInputElement>("input[name$='.of']");
    const metric = input.value.trim();
    if (!(select instanceof HTMLSelectElement) || chosenFor?.value === metric) return;
    const offered = await fetchAggregations(this.path, metric);
    if (offered.length === 0 || input.value.trim() !== metric) return;
    const old = select.value;
    select.replaceChildren(...offered.map((name) => new Option(name, name)));
    select.value = offered.includes(old) && chosenFor?.value !== "" ? old : offered[0] ?? "";
    if (chosenFor) chosenFor.value = metric;
    // What was said of the metric before holds no longer.
    row?.querySelectorAll("[name$='.kind'], [name$='.unit'], [name$='.as']")
      .forEach((field) => field.remove());
  }

  #close(): void {
    this.#asked++;
    clearTimeout(this.#timer);
    if (this.#shown !== null) this.#update(null);
  }

  #update(shown: Suggestions | null): void {
    this.#shown?.input.setAttribute("aria-expanded", "false");
    this.#shown?.input.removeAttribute("aria-controls");
    this.#shown?.input.removeAttribute("aria-activedescendant");
    this.#shown = shown;
    if (shown) {
      const { input, active } = shown;
      const listId = listIdOf(this.builder.id);
      input.setAttribute("aria-expanded", "true");
      input.setAttribute("aria-controls", listId);
      if (active >= 0) input.setAttribute("aria-activedescendant", `${listId}-${active}`);
    }
    this.show(shown);
  }
}

/** Id of the list of a builder. */
export function listIdOf(builderId: string): string {
  return `${builderId}-completions`;
}

function fieldOf(input: HTMLInputElement): CompletedField | null {
  const { complete } = input.dataset;
  return complete !== undefined && FIELDS.includes(complete) ? complete as CompletedField : null;
}

/** The field of the metric in the row of a field. */
function metricOf(input: HTMLInputElement): HTMLInputElement | null {
  return input.closest("fieldset")?.querySelector("[data-complete='metric']") ?? null;
}

/** Kinds of fields that are completed: a metric's name, a list of labels, a filter. */
export type CompletedField = "metric" | "labels" | "filter";

interface Place {
  readonly what: "metric" | "label" | "value";
  /** Of the value that is being typed; `""` otherwise. */
  readonly label: string;
  /** What is typed of it, without quotes. */
  readonly prefix: string;
  /** Where that part stands in the field. */
  readonly start: number;
  readonly end: number;
}

/** What the caret of a field stands in. */
export function placeAt(field: CompletedField, text: string, caret: number): Place {
  switch (field) {
    case "metric":
      return {
        what: "metric",
        label: "",
        prefix: text.slice(0, caret),
        start: 0,
        end: text.length,
      };
    case "labels":
      return labelPlace(text, caret, text.lastIndexOf(",", caret - 1) + 1);
    case "filter":
      return filterPlace(text, caret);
  }
}

/** The field with a completion put in, and where the caret goes. */
export function withCompletion(
  field: CompletedField,
  text: string,
  { what, start, end }: Place,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const tail = text.slice(end);
  const written = what === "value" ? JSON.stringify(chosen) : chosen;
  const isNewLabel = field === "filter" && what === "label" && !/^\s*[=!]/.test(tail);
  const inserted = isNewLabel ? `${written}=` : written;
  return { text: text.slice(0, start) + inserted + tail, caret: start + inserted.length };
}

function filterPlace(text: string, caret: number): Place {
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < caret; index++) {
    if (isQuoted && text[index] === "\\") index++;
    else if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === "," && !isQuoted) start = index + 1;
  }
  const operator = /^([^=!]*?)\s*(?:=~|!~|!=|=)\s*/.exec(text.slice(start, caret));
  if (operator === null) return labelPlace(text, caret, start);
  const from = start + operator[0].length;
  return {
    what: "value",
    label: (operator[1] ?? "").trim().replaceAll('"', ""),
    prefix: text.slice(from, caret).replaceAll('"', ""),
    start: from,
    end: valueEnd(text, from),
  };
}

/** A label that begins at `from`, or at the first character behind it that is no blank. */
function labelPlace(text: string, caret: number, from: number): Place {
  const start = from + (/^\s*/.exec(text.slice(from, caret))?.[0].length ?? 0);
  const rest = /^[^,=!~]*/.exec(text.slice(caret))?.[0] ?? "";
  return {
    what: "label",
    label: "",
    prefix: text.slice(start, caret),
    start,
    end: caret + rest.trimEnd().length,
  };
}

function valueEnd(text: string, from: number): number {
  const rest = text.slice(from);
  const value = /^(?:"(?:[^"\\]|\\.)*"?|[^,]*)/s.exec(rest)?.[0] ?? "";
  return from + value.length;
}

/** An entry of the list under a field. */
export interface Completion {
  readonly text: string;
  /** As "histogram, s"; `""` for none. */
  readonly note: string;
}

/**
 * Asks for completions; no answer means none, because typing on is always possible.
 *
 * @param metric whose labels and values are meant
 */
async function fetchCompletions(
  path: string,
  { what, label, prefix }: Pick<Place, "what" | "label" | "prefix">,
  metric: string,
): Promise<Completion[]> {
  try {
    const params = new URLSearchParams({ what, metric, label, prefix });
    const response = await fetch(`${path}?${params}`);
    const found: unknown = response.ok ? await response.json() : [];
    return Array.isArray(found) ? found.filter(isCompletion) : [];
  } catch {
    return [];
  }
}

/** The aggregations that a metric has, the usual one first; empty when it is unknown. */
async function fetchAggregations(path: string, metric: string): Promise<string[]> {
  try {
    const params = new URLSearchParams({ what: "aggregation", metric });
    const response = await fetch(`${path}?${params}`);
    const found: unknown = response.ok ? await response.json() : [];
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function isCompletion(value: unknown): value is Completion {
  return typeof value === "object" && value !== null && "text" in value && "note" in value &&
    typeof value.text === "string" && typeof value.note === "string";
}
