import type { Json } from "../json.ts";

/** A value as a label has it: texts as they are, numbers and truth values in words, lists and maps as JSON. */
export function labelText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
