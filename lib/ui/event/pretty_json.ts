/** As wide as a value's column usually is, in characters. */
const LINE = 72;
const INDENT = "  ";

/**
 * JSON for reading: what fits on a line stays on it, and lists of plain values flow instead of standing
 * one below the other.
 */
export function prettyJson(value: unknown, indent = ""): string {
  const line = inline(value);
  if (typeof value !== "object" || value === null) return line;
  if (indent.length + line.length <= LINE || isPlainList(value)) return line;
  const inner = indent + INDENT;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((one) => inner + prettyJson(one, inner))
    : Object.entries(value).map(([key, one]) =>
      `${inner}${JSON.stringify(key)}: ${prettyJson(one, inner)}`
    );
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** On one line, with blanks at which the browser can wrap it. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null);
}
