import type { EventView } from "./event_view.ts";

/** The way down a long page: a link to each panel that the event fills. */
export function SectionLinks(
  { view, hasTags }: { readonly view: EventView; readonly hasTags: boolean },
) {
  const sections: [id: string, label: string, isThere: boolean][] = [
    ["message", "Message", view.message !== null],
    ["exception", "Stack trace", view.exceptions.length + view.stack.length > 0],
    ["threads", "Threads", view.threads.length > 0],
    ["breadcrumbs", "Breadcrumbs", view.breadcrumbs.length > 0],
    ["request", "Request", view.request !== null],
    ["tags", "Tags", hasTags],
    ["contexts", "Contexts", view.contexts.length > 0],
    ["extra", "Additional data", view.extra.length > 0],
  ];
  return (
    <nav aria-label="Parts of this event">
      <ul class="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {sections.filter(([, , isThere]) => isThere).map(([id, label]) => (
          <li key={id}>
            <a class="text-accent hover:underline" href={`#${id}`}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
