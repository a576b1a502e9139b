/** What is being typed in the fields of a query, and putting a completion there; runs in the browser. */

/** Kinds of fields that are completed: a metric's name, a list of labels, a filter. */
export type CompletedField = "metric" | "labels" | "filter";

export interface Place {
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
