import { classes } from "../../ui/components/class_names.ts";
import { type CodeToken, highlightLines, type Language } from "../../ui/components/highlight.ts";
import type { SourceLine } from "./stack.ts";

export interface SourceBlockProps {
  readonly lines: readonly SourceLine[];
  readonly language: Language;
}

/** Source around a frame, numbered, with the current line marked; scrolls sideways in its own box. */
export function SourceBlock({ lines, language }: SourceBlockProps) {
  const tokens = colour(lines.map(({ text }) => text), language);
  return (
    <ol
      class="overflow-x-auto bg-sunken py-1 font-mono text-meta leading-5"
      tabindex={0}
      aria-label="Source"
    >
      {lines.map(({ number, isCurrent }, index) => (
        <li
          key={index}
          class={classes("flex w-max min-w-full", isCurrent && "bg-danger-soft")}
          aria-current={isCurrent ? "true" : undefined}
        >
          <span
            class={classes(
              "sticky left-0 w-14 shrink-0 pr-3 text-right select-none",
              isCurrent ? "bg-danger-soft font-semibold text-danger" : "bg-sunken text-faint",
            )}
          >
            {number !== null && number > 0 ? number : ""}
          </span>
          <code class="pr-4 whitespace-pre" dir="ltr">
            {tokens[index]?.map((token, place) =>
              token.class === ""
                ? token.text
                : <span key={place} class={token.class}>{token.text}</span>
            )}
          </code>
        </li>
      ))}
    </ol>
  );
}

/** What SDKs leave where they cut a long line. */
const CUT = "{snip}";

/**
 * Lines are coloured together, so that a comment or string over several of them is recognised. Where a
 * line was cut, its quotes may stay open, and each line is on its own.
 */
function colour(lines: readonly string[], language: Language): CodeToken[][] {
  return lines.some((line) => line.includes(CUT))
    ? lines.map((line) => highlightLines(line, language)[0] ?? [])
    : highlightLines(lines.join("\n"), language);
}
