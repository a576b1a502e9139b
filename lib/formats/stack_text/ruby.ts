import type { Frame } from "../sentry/normalized_event.ts";
import { linesOf, MAX_FRAMES, numbered, type ParsedException } from "./parsed_exception.ts";

/** `	from /app/cart.rb:12:in 'Cart#pay'`, or without `from` in a plain backtrace; before Ruby 3.4 with a backtick. */
const FRAME = /^\s*(?:from )?(\S.{0,900}?):(\d{1,9})(?::in [`']([^']{1,300})')?$/;
/** `/app/cart.rb:12:in 'Cart#pay': no such item (KeyError)` */
const TITLE =
  /^(\S.{0,900}?):(\d{1,9})(?::in [`']([^']{1,300})')?: (.{0,1500}?)(?: \(([\w:]{1,250})\))?$/;

interface Section {
  readonly type: string;
  readonly value: string;
  /** Newest call first, as in the text. */
  readonly frames: Frame[];
}

/** `full_message` of a Ruby exception, causes below it, or its bare backtrace. The first cause comes first. */
export function parseRuby(text: string): ParsedException[] {
  const sections: Section[] = [];
  for (const line of linesOf(text)) {
    const [, path, lineno, name] = FRAME.exec(line) ?? [];
    if (path !== undefined) {
      if (sections.length === 0) sections.push({ type: "", value: "", frames: [] });
      const { frames = [] } = sections.at(-1) ?? {};
      if (frames.length < MAX_FRAMES) frames.push(frameAt(path, lineno, name));
      continue;
    }
    const section = readTitle(line);
    if (section !== null) sections.push(section);
  }
  return sections.reverse().map((section) => ({ ...section, frames: section.frames.reverse() }));
}

function readTitle(line: string): Section | null {
  const [, path, lineno, name, value = "", type = ""] = TITLE.exec(line) ?? [];
  // Lines of a message may look similar, but are not of a source file.
  if (path === undefined || /^\s/.test(line) || !/\.\w{1,5}$|^\(|^</.test(path)) return null;
  return { type, value, frames: [frameAt(path, lineno, name)] };
}

const FOREIGN = /[/\\](?:gems|bundler|rubygems)[/\\]|[/\\]lib[/\\]ruby[/\\]|^<internal:/;

function frameAt(path: string, lineno: string | undefined, name: string | undefined): Frame {
  return {
    ...(name !== undefined && { function: name }),
    filename: path.replace(/^.*[/\\]gems[/\\]/, ""),
    abs_path: path,
    ...numbered(lineno),
    in_app: !FOREIGN.test(path),
  };
}
