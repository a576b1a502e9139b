import { contextKey } from "../../records/event_facts.ts";
import { CopyButton } from "../../ui/components/copy_button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { EventContext } from "./context.ts";
import type { Sdk } from "./event_view.ts";
import { Folded } from "../../ui/folded.tsx";
import { asText } from "../../ui/read.ts";
import type { SearchLink } from "./tag_panels.tsx";
import { ValueTable, type ValueTableProps } from "../../ui/value_table.tsx";

type Entries = readonly (readonly [name: string, value: unknown])[];

export interface ContextPanelProps {
  readonly contexts: readonly EventContext[];
  /** Where the issues with a value are listed. */
  readonly linkTo: SearchLink;
}

/** Everything the SDK knew about where it ran, one table a subject. */
export function ContextPanel({ contexts, linkTo }: ContextPanelProps) {
  return (
    <Panel id="contexts" title="Contexts">
      <div class="grid gap-x-8 gap-y-4 xl:grid-cols-2">
        {contexts.map(({ key, title, entries }) => (
          <section key={key} class="min-w-0">
            <h3 class="mb-1 text-sm font-semibold wrap-anywhere">{title}</h3>
            <ValueTable
              entries={entries}
              label={title}
              linkTo={(name, value) => {
                const field = contextKey(key, name);
                return field === null ? null : linkTo(field, asText(value));
              }}
            />
          </section>
        ))}
      </div>
    </Panel>
  );
}

export interface TracePanelProps {
  readonly traceId: string;
  readonly spanId: string;
  /** To the page of the trace. */
  readonly href: string;
}

/** The trace that the event belongs to: the way there, and its id for other tools. */
export function TracePanel({ traceId, spanId, href }: TracePanelProps) {
  return (
    <Panel
      id="trace"
      title="Trace"
      actions={
        <a class="link inline-flex items-center gap-1 text-sm" href={href}>
          <Icon name="traces" size={14} />
          Open
        </a>
      }
    >
      <div class="flex items-center gap-2">
        <code id="trace-id" class="min-w-0 text-meta wrap-anywhere">{traceId}</code>
        <CopyButton target="trace-id" what="trace id" isCompact class="ml-auto" />
      </div>
      {spanId !== "" && (
        <p class="mt-1 text-meta text-muted">
          Span <code>{spanId}</code>
        </p>
      )}
    </Panel>
  );
}

/** A table of whatever the program attached. */
export function EntriesPanel(
  { id, title, entries, linkTo }: {
    readonly id: string;
    readonly title: string;
    readonly entries: Entries;
    readonly linkTo?: ValueTableProps["linkTo"];
  },
) {
  return (
    <Panel id={id} title={title}>
      <ValueTable entries={entries} label={title} {...linkTo && { linkTo }} />
    </Panel>
  );
}

/** What sent the event, and what was installed beside it. */
export function SdkPanel(
  { sdk, modules }: {
    readonly sdk: Sdk | null;
    readonly modules: readonly (readonly [name: string, version: string])[];
  },
) {
  return (
    <Panel id="sdk" title="SDK and modules">
      {sdk && (
        <p class="text-sm">
          <code>{sdk.name}</code> {sdk.version}
        </p>
      )}
      <div class="mt-1 space-y-1">
        {sdk && sdk.integrations.length > 0 && (
          <Folded title={`Integrations (${sdk.integrations.length})`}>
            <p class="text-sm wrap-anywhere">{sdk.integrations.join(", ")}</p>
          </Folded>
        )}
        {sdk && sdk.packages.length > 0 && (
          <Folded title={`Packages (${sdk.packages.length})`}>
            <ValueTable entries={sdk.packages} label="Packages" />
          </Folded>
        )}
        {modules.length > 0 && (
          <Folded title={`Modules (${modules.length})`}>
            <ValueTable entries={modules} label="Modules" />
          </Folded>
        )}
      </div>
    </Panel>
  );
}

/** What the SDK or this server could not make sense of. */
export function ProblemsPanel({ problems }: { readonly problems: readonly string[] }) {
  return (
    <Panel id="problems" title={`Problems with this event (${problems.length})`}>
      <ul class="list-disc pl-5 text-sm wrap-anywhere">
        {problems.map((problem, index) => <li key={index}>{problem}</li>)}
      </ul>
    </Panel>
  );
}

export interface ScrubbedNoteProps {
  readonly count: number;
  readonly fields: readonly string[];
}

/** What was hidden before the event was stored. */
export function ScrubbedNote({ count, fields }: ScrubbedNoteProps) {
  return (
    <p class="flex items-start gap-2 px-1 text-sm text-muted">
      <Icon name="key" size={14} class="mt-[3px]" />
      <span class="min-w-0 wrap-anywhere">
        {count === 1 ? "1 value was filtered" : `${count} values were filtered`}:{" "}
        {fields.join(", ")}. Project settings → Privacy decides about it.
      </span>
    </p>
  );
}
