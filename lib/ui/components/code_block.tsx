import { classes } from "./icon.tsx";
import { type CodeToken, highlightLines, type Language } from "./highlight.ts";
import { CopyButton } from "./button.tsx";

interface CodeBlockProps {
  /** Unique on the page; the copy button refers to it. */
  readonly id: string;
  readonly code: string;
  /** @default "text" */
  readonly language?: Language;
  /** What the code is, for screen readers and the copy button, as "Python snippet". */
  readonly label: string;
  /** Number of the first line; without one there are no line numbers. */
  readonly firstLine?: number;
  /** Number of a line to point at. */
  readonly markedLine?: number;
  /** Scrolls inside its box from this height on. @default "none" */
  readonly maxHeight?: "none" | "md" | "lg";
}

/** Code coloured on the server, with line numbers and a copy button; wraps on phones. */
export function CodeBlock(props: CodeBlockProps) {
  const { id, code, language = "text", label, firstLine, markedLine, maxHeight = "none" } = props;
  const lines = highlightLines(code.replace(/\n$/, ""), language);
  return (
    <div class="group/code relative min-w-0">
      <pre
        tabindex={0}
        role="region"
        aria-label={label}
        class={classes(
          "overflow-x-auto rounded-md border border-line bg-sunken py-2 pr-10 text-sm sm:pr-20",
          "whitespace-pre-wrap wrap-anywhere sm:whitespace-pre sm:wrap-normal",
          maxHeight === "md" && "max-h-96 overflow-y-auto",
          maxHeight === "lg" && "max-h-160 overflow-y-auto",
        )}
      >
        <code id={id} class="block min-w-fit">
          {lines.map((tokens, index) => {
            const number = firstLine === undefined ? undefined : firstLine + index;
            return (
              <CodeLine
                key={index}
                tokens={tokens}
                number={number}
                isMarked={number !== undefined && number === markedLine}
              />
            );
          })}
        </code>
      </pre>
      <CopyButton target={id} what={label} class="absolute top-1.5 right-1.5" />
    </div>
  );
}

interface CodeLineProps {
  readonly tokens: readonly CodeToken[];
  /** Shown beside the line but neither selected nor copied with it. */
  readonly number?: number | undefined;
  /** @default false */
  readonly isMarked?: boolean;
}

/** One line of code; stack traces set theirs with it too. */
function CodeLine({ tokens, number, isMarked = false }: CodeLineProps) {
  return (
    <span
      data-line={number}
      class={classes(
        "block px-3",
        number !== undefined && "code-line",
        isMarked && "bg-accent-soft",
      )}
    >
      {tokens.map((token, index) =>
        token.class === "" ? token.text : <span key={index} class={token.class}>{token.text}</span>
      )}
      {"\n"}
    </span>
  );
}
