/** The lines of a source around a frame, cut where they are long. */

export interface ContextLines {
  readonly before: readonly string[];
  readonly line: string;
  readonly after: readonly string[];
}

const AROUND = 5;
const MAX_LINE = 150;
const CUT_LINE = 140;
/** How much of a cut line stands before the column. */
const BEFORE_COLUMN = 60;
/** So few characters are not worth a mark in their place. */
const EDGE = 5;

/** Five lines before and after one. @param line from 0 @param column from 0 @returns null when the text has no such line */
export function contextLines(text: string, line: number, column: number): ContextLines | null {
  const first = Math.max(0, line - AROUND);
  const lines: string[] = [];
  let number = 0;
  let start = 0;
  // Each line is found by itself: a bundled source may have a million of them.
  for (const end of lineEnds(text)) {
    if (number >= first) {
      lines.push(cutLine(text.slice(start, end.at), number === line ? column : 0));
    }
    if (number === line + AROUND) break;
    start = end.next;
    number++;
  }
  const current = lines[line - first];
  if (current === undefined) return null;
  return {
    before: lines.slice(0, line - first),
    line: current,
    after: lines.slice(line - first + 1),
  };
}

function* lineEnds(text: string): Generator<{ readonly at: number; readonly next: number }> {
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
    yield { at: index, next: index + end.length };
  }
  yield { at: text.length, next: text.length };
}

/** A line as it is shown: at most 150 characters, the column among them. @param column from 0 */
export function cutLine(line: string, column: number): string {
  const { length } = line;
  if (length <= MAX_LINE) return line.toWellFormed();
  let start = Math.max(Math.min(column, length) - BEFORE_COLUMN, 0);
  if (start < EDGE) start = 0;
  let end = Math.min(start + CUT_LINE, length);
  if (end > length - EDGE) end = length;
  if (end === length) start = Math.max(end - CUT_LINE, 0);
  const kept = withoutHalves(line.slice(start, end));
  return `${start > 0 ? "{snip} " : ""}${kept}${end < length ? " {snip}" : ""}`.toWellFormed();
}

/** Without the half of a character that a cut left at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
