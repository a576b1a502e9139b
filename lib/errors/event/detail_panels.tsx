import { contextKey } from "../../records/error_event.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { CopyButton } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { asText } from "../../ui/json.ts";
import {
  CutText,
  Folded,
  SafeLink,
  Value,
  ValueTable,
  type ValueTableProps,
} from "../../ui/value_table.tsx";
import type { HttpRequest } from "./interfaces.ts";
import type { SearchLink } from "./tag_panels.tsx";
import type { EventContext, EventMessage, Sdk } from "./view.ts";
import { rich, t } from "../../core/language/translate.ts";

type Entries = readonly (readonly [name: string, value: unknown])[];

interface ContextPanelProps {
  readonly contexts: readonly EventContext[];
  /** Where the issues with a value are listed. */
  readonly linkTo: SearchLink;
}

/** Everything the SDK knew about where it ran, one table a subject. */
export function ContextPanel({ contexts, linkTo }: ContextPanelProps) {
  return (
    <Panel id="contexts" title={t("Contexts")}>
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

interface TracePanelProps {
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
      title={t("Trace")}
      actions={
        <a class="link inline-flex items-center gap-1 text-sm" href={href}>
          <Icon name="traces" size={14} />
          {t("Open")}
        </a>
      }
    >
      <div class="flex items-center gap-2">
        <code id="trace-id" class="min-w-0 text-meta wrap-anywhere">{traceId}</code>
        <CopyButton target="trace-id" what={t("trace id")} isCompact class="ml-auto" />
      </div>
      {spanId !== "" && (
        <p class="mt-1 text-meta text-muted">
          {rich("Span {spanId}", { spanId: <code>{spanId}</code> })}
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
    <Panel id="sdk" title={t("SDK and modules")}>
      {sdk && (
        <p class="text-sm">
          <code>{sdk.name}</code> {sdk.version}
        </p>
      )}
      <div class="mt-1 space-y-1">
        {sdk && sdk.integrations.length > 0 && (
          <Folded title={t("Integrations ({n})", { n: sdk.integrations.length })}>
            <p class="text-sm wrap-anywhere">{sdk.integrations.join(", ")}</p>
          </Folded>
        )}
        {sdk && sdk.packages.length > 0 && (
          <Folded title={t("Packages ({n})", { n: sdk.packages.length })}>
            <ValueTable entries={sdk.packages} label={t("Packages")} />
          </Folded>
        )}
        {modules.length > 0 && (
          <Folded title={t("Modules ({n})", { n: modules.length })}>
            <ValueTable entries={modules} label={t("Modules")} />
          </Folded>
        )}
      </div>
    </Panel>
  );
}

/** What the SDK or this server could not make sense of. */
export function ProblemsPanel({ problems }: { readonly problems: readonly string[] }) {
  return (
    <Panel id="problems" title={t("Problems with this event ({n})", { n: problems.length })}>
      <ul class="list-disc pl-5 text-sm wrap-anywhere">
        {problems.map((problem, index) => <li key={index}>{problem}</li>)}
      </ul>
    </Panel>
  );
}

interface ScrubbedNoteProps {
  readonly count: number;
  readonly fields: readonly string[];
}

/** What was hidden before the event was stored. */
export function ScrubbedNote({ count, fields }: ScrubbedNoteProps) {
  return (
    <p class="flex items-start gap-2 px-1 text-sm text-muted">
      <Icon name="key" size={14} class="mt-[3px]" />
      <span class="min-w-0 wrap-anywhere">
        {t(
          "{n} value was filtered: {fields}. Project settings → Privacy decides about it.|{n} values were filtered: {fields}. Project settings → Privacy decides about it.",
          { n: count, fields: fields.join(", ") },
        )}
      </span>
    </p>
  );
}

/** The HTTP request during which it happened, also as a curl command to try it again. */
export function RequestPanel({ request }: { readonly request: HttpRequest }) {
  const { method, url, query, headers, cookies, environment, body } = request;
  const curl = curlOf(request);
  return (
    <Panel id="request" title={t("Request")}>
      <p class="flex items-start gap-2">
        {method !== "" && <Badge>{method}</Badge>}
        {url !== "" && (
          <span class="min-w-0 font-mono text-sm wrap-anywhere">
            <SafeLink href={url} />
          </span>
        )}
      </p>
      <div class="mt-2 space-y-2">
        {body !== "" && (
          <Folded title={t("Body")} isOpen>
            <Value value={body} />
          </Folded>
        )}
        <TablePart title={t("Query@@url")} entries={query} isOpen />
        <TablePart title={t("Headers")} entries={headers} isOpen={headers.length <= 12} />
        <TablePart title={t("Cookies")} entries={cookies} />
        <TablePart title={t("Environment")} entries={environment} />
        {curl && (
          <Folded title={t("As a curl command")}>
            <CodeBlock id="request-curl" code={curl} language="bash" label={t("curl command")} />
          </Folded>
        )}
      </div>
    </Panel>
  );
}

interface TablePartProps {
  readonly title: string;
  readonly entries: readonly (readonly [name: string, value: unknown])[];
  readonly isOpen?: boolean;
}

function TablePart({ title, entries, isOpen = false }: TablePartProps) {
  if (entries.length === 0) return null;
  return (
    <Folded title={`${title} (${entries.length})`} isOpen={isOpen}>
      <ValueTable entries={entries} label={title} />
    </Folded>
  );
}

/** What a header name may hold (RFC 9110, token); also keeps curl from reading `@file`. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that curl makes itself, or that would contradict the body. */
const OWN_HEADERS = new Set(["content-length", "connection", "transfer-encoding"]);
/** What scrubbing leaves of a secret, here and in the SDKs. */
const SCRUBBED = /^\[?(?:filtered|redacted|removed)\]?$/i;

/**
 * The request as a curl command for a POSIX shell, or null when there is no http(s) address to call.
 * Headers whose value was scrubbed are left out, since sending the placeholder would only mislead.
 */
export function curlOf({ method, url, headers, cookies, body }: HttpRequest): string | null {
  if (!/^https?:\/\//i.test(url)) return null;
  const parts = [`curl --globoff --url ${quote(url)}`];
  const verb = method.toUpperCase();
  // --data means POST and no --data means GET: only other verbs need saying.
  if (/^[A-Z-]+$/.test(verb) && verb !== (body === "" ? "GET" : "POST")) {
    parts.push(verb === "HEAD" ? "--head" : `--request ${verb}`);
  }
  for (const [name, value] of headers) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase()) || SCRUBBED.test(value)) {
      continue;
    }
    parts.push(`--header ${quote(`${name}: ${oneLine(value)}`)}`);
  }
  const sent = cookies.filter(([name, value]) => name !== "" && !SCRUBBED.test(value));
  if (sent.length > 0) {
    const text = sent.map(([name, value]) => `${name}=${value}`).join("; ");
    parts.push(`--header ${quote(`Cookie: ${oneLine(text)}`)}`);
  }
  if (body !== "") parts.push(`--data-raw ${quote(body)}`);
  return parts.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}

/** Beyond this a message is no longer read but searched, and that works better in the raw event. */
const MAX_MESSAGE = 10_000;

/** What was logged, with its template and parameters when the client sent them apart. */
export function MessagePanel({ message }: { readonly message: EventMessage }) {
  const { text, template, parameters } = message;
  return (
    <Panel id="message" title={t("Message")}>
      <p
        class="max-h-60 overflow-y-auto font-mono text-sm whitespace-pre-wrap wrap-anywhere"
        dir="auto"
        tabindex={0}
      >
        <CutText text={text} max={MAX_MESSAGE} />
      </p>
      {(template !== "" || parameters.length > 0) && (
        <div class="mt-3 border-t border-line pt-2">
          <ValueTable
            label={t("Template and parameters")}
            entries={[
              ...(template === "" ? [] : [[t("Template"), template] as const]),
              ...parameters,
            ]}
          />
        </div>
      )}
    </Panel>
  );
}
