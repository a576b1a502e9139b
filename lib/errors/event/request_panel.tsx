import { Badge } from "../../ui/components/badge.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Folded } from "../../ui/folded.tsx";
import { curlOf } from "./curl.ts";
import type { HttpRequest } from "./request.ts";
import { SafeLink } from "../../ui/safe_link.tsx";
import { Value, ValueTable } from "../../ui/value_table.tsx";

/** The HTTP request during which it happened, also as a curl command to try it again. */
export function RequestPanel({ request }: { readonly request: HttpRequest }) {
  const { method, url, query, headers, cookies, environment, body } = request;
  const curl = curlOf(request);
  return (
    <Panel id="request" title="Request">
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
          <Folded title="Body" isOpen>
            <Value value={body} />
          </Folded>
        )}
        <TablePart title="Query" entries={query} isOpen />
        <TablePart title="Headers" entries={headers} isOpen={headers.length <= 12} />
        <TablePart title="Cookies" entries={cookies} />
        <TablePart title="Environment" entries={environment} />
        {curl && (
          <Folded title="As a curl command">
            <CodeBlock id="request-curl" code={curl} language="bash" label="curl command" />
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
