import { useEffect, useState } from "preact/hooks";

export interface MergeWordsProps {
  /** Answers `{ words }` once the profiles are merged. */
  readonly href: string;
  /** Until then. */
  readonly initial: string;
}

/** How many profiles are in a graph and how they were put together, told once it is there. */
export default function MergeWords({ href, initial }: MergeWordsProps) {
  const [words, setWords] = useState(initial);
  useEffect(() => {
    const asking = new AbortController();
    const read = async () => {
      const response = await fetch(href, { signal: asking.signal });
      if (!response.ok || response.redirected) return;
      const answer: { readonly words?: unknown } = await response.json();
      if (typeof answer.words === "string") setWords(answer.words);
    };
    // The graph itself says when it cannot be made.
    read().catch(() => {});
    return () => asking.abort();
  }, [href]);
  return <span aria-live="polite">{words}</span>;
}
