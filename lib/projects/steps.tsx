import { Alert } from "../ui/components/alert.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import type { Snippet } from "./snippets/mod.ts";

export interface StepsProps {
  readonly snippet: Snippet;
  /** What is filled in. */
  readonly dsn: string;
}

/** What to do, in order, each with something to copy. */
export function Steps({ snippet, dsn }: StepsProps) {
  const { isChoice = false } = snippet;
  const List = isChoice ? "ul" : "ol";
  return (
    <List class="space-y-5 p-4">
      {snippet.steps(dsn).map(({ title, note, language, code }, index) => (
        <li key={title}>
          <h2 class="font-semibold">{isChoice ? title : `${index + 1}. ${title}`}</h2>
          {note && <p class="text-sm text-muted wrap-anywhere">{note}</p>}
          <div class="mt-2">
            <CodeBlock id={`step-${index + 1}`} label={title} language={language} code={code} />
          </div>
        </li>
      ))}
    </List>
  );
}

export interface NoServerKeyProps {
  /** Who needs it, as "OpenTelemetry". */
  readonly what: string;
  readonly keysHref: string;
}

/** Above snippets that none of the project's keys fits. */
export function NoServerKey({ what, keysHref }: NoServerKeyProps) {
  return (
    <div class="p-4 pb-0">
      <Alert kind="warning" title={`${what} needs a server key`}>
        This project's active keys are for web pages, where everybody can read them, and would be
        answered with 403.{" "}
        <a href={keysHref} class="link">Create or enable a server key</a>; the zeros below stand for
        it.
      </Alert>
    </div>
  );
}
