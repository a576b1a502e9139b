import type { Frame } from "../sentry/normalized_event.ts";

/** One exception out of a stack trace's text. */
export interface ParsedException {
  /** As the text names it; `""` where it does not. */
  readonly type: string;
  readonly value: string;
  /** Oldest call first, as Sentry has them; empty where the text has none. */
  readonly frames: Frame[];
}

/** Reads the text of one language. */
export type StackParser = (text: string) => ParsedException[];

/** More frames than are ever stored. */
export const MAX_FRAMES = 1_000;

/** Longer lines are no frames: keeps expressions off them. */
const MAX_LINE = 1_000;

/** The lines of a stack's text; what no frame can be is left out. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length <= MAX_LINE);
}

/** `type: value` as most languages print it; a line without a colon is all type when it looks like a name. */
export function splitTitle(line: string): Pick<ParsedException, "type" | "value"> {
  const [, type = "", value = ""] = /^([\w$.\\:]{1,250}?)(?:: ([^]*)|:?)$/.exec(line.trim()) ?? [];
  return type === "" ? { type: "", value: line.trim() } : { type, value: value.trim() };
}

/** What is read of one exception before its text ends. */
export interface Section {
  /** Lines of its title. */
  readonly title: string[];
  /** Newest call first, as in the text. */
  readonly frames: Frame[];
}

/** @param prefix of the title, which is no part of the exception */
export function exceptionOf({ title, frames }: Section, prefix?: RegExp): ParsedException {
  const text = title.join("\n");
  return {
    ...splitTitle(prefix === undefined ? text : text.replace(prefix, "")),
    frames: frames.reverse(),
  };
}

/** The part of a path after its last slash or backslash. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** A line or column number, where there is one. */
export function numbered(
  lineno: string | undefined,
  colno?: string,
): { lineno?: number; colno?: number } {
  return {
    ...(lineno !== undefined && { lineno: Number(lineno) }),
    ...(colno !== undefined && { colno: Number(colno) }),
  };
}
