export interface TokenAtCaret {
  /** Null while the key itself is being typed. */
  readonly key: string | null;
  /** What is typed of the key or the value, without quotes. */
  readonly prefix: string;
  /** Where that part stands in the search. */
  readonly start: number;
  readonly end: number;
  /** Whether it is a value between brackets: `key:[a, b]`. */
  readonly isInList: boolean;
}

export interface Completion {
  readonly token: TokenAtCaret;
  /** The whole key or value. */
  readonly text: string;
  readonly label: string;
  readonly isValue: boolean;
}

/** The token that the caret stands in or right behind. */
export function tokenAt(text: string, caret: number): TokenAtCaret {
  const start = tokenStart(text, caret);
  const end = tokenEnd(text, caret);
  const typed = text.slice(start, caret);
  const negation = typed.startsWith("!") ? 1 : 0;
  const colon = typed.indexOf(":");
  if (colon === -1 || typed.startsWith('"')) {
    const nextColon = text.indexOf(":", caret);
    return {
      key: null,
      prefix: typed.slice(negation),
      start: start + negation,
      end: nextColon === -1 ? end : Math.min(end, nextColon),
      isInList: false,
    };
  }
  if (isOpenList(typed)) {
    const from = start + valueStart(typed);
    return {
      key: typed.slice(negation, colon),
      prefix: text.slice(from, caret).replaceAll('"', ""),
      start: from,
      end: valueEnd(text, caret),
      isInList: true,
    };
  }
  return {
    key: typed.slice(negation, colon),
    prefix: typed.slice(colon + 1).replaceAll('"', ""),
    start: start + colon + 1,
    end,
    isInList: false,
  };
}

/** Whether what is typed is a list that nothing has closed: `key:[a, "b`. */
function isOpenList(typed: string): boolean {
  const colon = typed.indexOf(":");
  return typed[colon + 1] === "[" && !unquoted(typed).includes("]");
}

/** The same with what stands in quotes blotted out. */
function unquoted(text: string): string {
  return text.replaceAll(/"[^"]*("|$)/g, (quote) => "_".repeat(quote.length));
}

/** Where the last value of a list begins. */
function valueStart(typed: string): number {
  const plain = unquoted(typed);
  const at = Math.max(plain.lastIndexOf(","), plain.indexOf("[")) + 1;
  return at + (typed.slice(at).length - typed.slice(at).trimStart().length);
}

function valueEnd(text: string, caret: number): number {
  const rest = /[,\]\s]/.exec(text.slice(caret));
  return rest === null ? text.length : caret + rest.index;
}

/** The search with a completion put in, and where the caret goes. */
export function applyCompletion(
  text: string,
  { token, text: whole, isValue }: Completion,
): { readonly text: string; readonly caret: number } {
  const tail = text.slice(token.end);
  const behind = token.isInList || tail.startsWith(" ") ? "" : " ";
  const inserted = isValue ? `${quoted(whole)}${behind}` : `${whole}:`;
  // A key that is completed in front of its value keeps that value's colon.
  const rest = !isValue && tail.startsWith(":") ? tail.slice(1) : tail;
  return {
    text: text.slice(0, token.start) + inserted + rest,
    caret: token.start + inserted.length,
  };
}

function tokenStart(text: string, caret: number): number {
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < caret; index++) {
    if (text[index] === '"') isQuoted = !isQuoted;
    if (text[index] === " " && !isQuoted && !isOpenList(text.slice(start, index))) {
      start = index + 1;
    }
  }
  return start;
}

function tokenEnd(text: string, caret: number): number {
  let end = caret;
  let isQuoted = (text.slice(0, caret).split('"').length - 1) % 2 === 1;
  while (end < text.length && (isQuoted || text[end] !== " ")) {
    if (text[end] === '"') isQuoted = !isQuoted;
    end++;
  }
  return end;
}

function quoted(value: string): string {
  return /[\s",\]]/.test(value) || value === "" ? `"${value.replaceAll('"', '\\"')}"` : value;
}
