import { t } from "../lib/core/language/translate.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Assist, listIdOf, type Suggestions } from "../lib/metrics/query_form/assist.ts";

export interface MetricAssistProps {
  /** Id of the query builder, which stands in the page already. */
  readonly builderId: string;
  /** Answers with completions as JSON. */
  readonly completionsPath: string;
}

/** Completes real names, labels and values under the fields of a query builder. */
export default function MetricAssist({ builderId, completionsPath }: MetricAssistProps) {
  const [shown, setShown] = useState<Suggestions | null>(null);
  const assist = useRef<Assist | null>(null);
  const list = useRef<HTMLUListElement>(null);

  useEffect(() => {
    const builder = document.getElementById(builderId);
    if (builder === null) return;
    const started = new Assist(builder, completionsPath, setShown);
    assist.current = started;
    return () => started.stop();
  }, [builderId, completionsPath]);

  useEffect(() => {
    if (shown && list.current) placeUnder(list.current, shown.input);
  }, [shown]);

  if (shown === null) return <span hidden />;
  const listId = listIdOf(builderId);
  return (
    <ul
      ref={list}
      id={listId}
      role="listbox"
      aria-label={t("Completions")}
      class="query-completions"
    >
      {shown.found.map((completion, index) => (
        <li
          key={`${completion.text} ${completion.note}`}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === shown.active}
          // The field must keep the focus, or its blur would take the list away before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => assist.current?.choose(completion)}
        >
          <bdi>{completion.text === "" ? '""' : completion.text}</bdi>
          {completion.note !== "" && <small>{completion.note}</small>}
        </li>
      ))}
    </ul>
  );
}

/** Lays the list under a field, within the builder that both stand in. */
function placeUnder(list: HTMLElement, input: HTMLElement): void {
  const builder = list.offsetParent?.getBoundingClientRect();
  if (builder === undefined) return;
  const { left, bottom, width } = input.getBoundingClientRect();
  list.style.top = `${bottom - builder.top + 2}px`;
  list.style.minWidth = `${width}px`;
  const most = Math.max(0, builder.width - list.offsetWidth);
  list.style.left = `${Math.min(left - builder.left, most)}px`;
}
