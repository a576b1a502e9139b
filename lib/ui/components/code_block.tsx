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
  /** Scrolls inside its box from this height on. @default "none" */
  readonly maxHeight?: "none" | "md" | "lg";
}

/** Code coloured on the server, with a copy button; wraps on phones. */
export function CodeBlock(props: CodeBlockProps) {
  const { id, code, language = "text", label, maxHeight = "none" } = props;
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
          {lines.map((tokens, index) => <CodeLine key={index} tokens={tokens} />)}
        </code>
      </pre>
      <CopyButton target={id} what={label} class="absolute top-1.5 right-1.5" />
    </div>
  );
}

function CodeLine({ tokens }: { readonly tokens: readonly CodeToken[] }) {
  return (
    <span class="block px-3">
      {tokens.map((token, index) =>
        token.class === "" ? token.text : <span key={index} class={token.class}>{token.text}</span>
      )}
      {"\n"}
    </span>
  );
}
