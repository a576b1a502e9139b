import { parseStack } from "@/lib/formats/stack_text/parse_stack.ts";
import type { Frame } from "@/lib/formats/sentry/normalized_event.ts";

/** A frame on one line: `function @ file:line:column in module`, those not of the application in brackets. */
export function frameLine(frame: Frame): string {
  const { function: name = "?", filename = "?", module, lineno, colno, in_app: isOwn } = frame;
  const place = [filename, lineno, colno].filter((part) => part !== undefined).join(":");
  const line = `${name} @ ${place}${module === undefined ? "" : ` in ${module}`}`;
  return isOwn ? line : `(${line})`;
}

/** What a stack's text turns into, one line for each exception and each of its frames. */
export function linesOf(text: string, language: string): string[] {
  return parseStack(text, language).flatMap(({ type, value, frames }) => [
    `${type} | ${value}`,
    ...frames.map(frameLine),
  ]);
}
