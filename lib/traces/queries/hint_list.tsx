import { Alert } from "../../ui/components/alert.tsx";
import { formatDuration } from "../../ui/format.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { traceHref, transactionHref } from "../../ui/tracing_paths.ts";
import { adviceOn } from "./advice.ts";
import type { Hint } from "./hints.ts";
import type { NamedCategory } from "./tabs.ts";

export interface HintListProps {
  readonly tracing: Tracing;
  readonly category: NamedCategory;
  readonly hints: readonly Hint[];
}

/** What examples give away, where it was seen, and how to mend it. */
export function HintList({ tracing: { project, scope }, category, hints }: HintListProps) {
  return (
    <>
      {hints.map((hint) => {
        const { title, remedy } = adviceOn(hint, category);
        const { kind, transaction, traceId, spanId, totalMs } = hint;
        return (
          <Alert key={kind} kind="warning" title={title}>
            <p>
              {"Seen "}
              {transaction !== "" && (
                <>
                  in{" "}
                  <a class="link" href={transactionHref(project.id, scope, transaction)}>
                    <bdi>{transaction}</bdi>
                  </a>
                  {", "}
                </>
              )}
              {"in "}
              <a class="link" href={traceHref(project.id, traceId, spanId, scope)}>this trace</a>
              {`, where they took ${formatDuration(totalMs)} together. `}
              {withCode(remedy)}
            </p>
          </Alert>
        );
      })}
    </>
  );
}

/** What stands between backticks as code. */
function withCode(text: string) {
  return text.split("`").map((part, place) =>
    place % 2 === 0 ? part : <code key={place} class="font-mono text-sm">{part}</code>
  );
}
