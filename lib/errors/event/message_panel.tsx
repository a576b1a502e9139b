import { Panel } from "../../ui/components/panel.tsx";
import type { Message } from "./event_view.ts";
import { ValueTable } from "../../ui/value_table.tsx";

/** Beyond this a message is no longer read but searched, and that works better in the raw event. */
const MAX_MESSAGE = 10_000;

/** What was logged, with its template and parameters when the client sent them apart. */
export function MessagePanel({ message }: { readonly message: Message }) {
  const { text, template, parameters } = message;
  const shown = text.slice(0, MAX_MESSAGE);
  return (
    <Panel id="message" title="Message">
      <p
        class="max-h-60 overflow-y-auto font-mono text-sm whitespace-pre-wrap wrap-anywhere"
        dir="auto"
        tabindex={0}
      >
        {shown}
        {shown.length < text.length && (
          <span class="text-muted">… {text.length - shown.length} more characters</span>
        )}
      </p>
      {(template !== "" || parameters.length > 0) && (
        <div class="mt-3 border-t border-line pt-2">
          <ValueTable
            label="Template and parameters"
            entries={[...(template === "" ? [] : [["Template", template] as const]), ...parameters]}
          />
        </div>
      )}
    </Panel>
  );
}
