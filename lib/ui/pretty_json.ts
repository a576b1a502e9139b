/** As wide as a value's column usually is, in characters. */
const LINE = 72;
const INDENT = "  ";

/**
 * JSON for reading: what fits on a line stays on it, and lists of plain values flow instead of standing
 * one below the other.
 */
export function prettyJson(value: unknown): string {
  return written(laidOut(value), "");
}

interface Layout {
  /** All of it on one line, with blanks at which the browser can wrap it; null where that is too long for any place. */
  readonly line: string | null;
  /** Whether it stays on one line, however long. */
  readonly flows: boolean;
  readonly isList: boolean;
  readonly parts: readonly Part[];
}

interface Part {
  /** With its colon; empty in lists. */
  readonly name: string;
  readonly layout: Layout;
}

/** From the inside to the outside, each value once: deep values take no longer than others. */
function laidOut(value: unknown): Layout {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) {
    return { line: JSON.stringify(value) ?? "null", flows: true, isList, parts: [] };
  }
  const parts: readonly Part[] = isList
    ? value.map((one) => ({ name: "", layout: laidOut(one) }))
    : Object.entries(value).map(([key, one]) => ({
      name: `${JSON.stringify(key)}: `,
      layout: laidOut(one),
    }));
  const flows = parts.length === 0 ||
    isList && value.every((one) => typeof one !== "object" || one === null);
  return { line: flows || isShort(parts) ? inline(parts, isList) : null, flows, isList, parts };
}

function isShort(parts: readonly Part[]): boolean {
  let left = LINE;
  return parts.every(({ name, layout: { line } }) =>
    line !== null && (left -= name.length + line.length) >= 0
  );
}

function inline(parts: readonly Part[], isList: boolean): string {
  const texts = parts.map(({ name, layout }) => name + layout.line).join(", ");
  if (isList) return `[${texts}]`;
  return texts === "" ? "{}" : `{ ${texts} }`;
}

function written({ line, flows, isList, parts }: Layout, indent: string): string {
  if (line !== null && (flows || indent.length + line.length <= LINE)) return line;
  const inner = indent + INDENT;
  const texts = parts.map(({ name, layout }) => inner + name + written(layout, inner));
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${texts.join(",\n")}\n${indent}${close}`;
}
