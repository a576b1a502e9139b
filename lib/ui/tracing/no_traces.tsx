import { CodeBlock } from "../components/code_block.tsx";
import { LinkButton } from "../components/button.tsx";
import { EmptyState } from "../components/empty_state.tsx";
import { isNarrowed } from "../scope.ts";
import { sectionPath } from "../sections.ts";
import type { Tracing } from "./load_tracing.ts";

const SNIPPETS = `// Sentry SDK: turn tracing on
Sentry.init({ dsn: "…", tracesSampleRate: 1.0 });

# OpenTelemetry: point the exporter here, with a server key of this project
OTEL_EXPORTER_OTLP_ENDPOINT=<address of this service>
OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<public key>"
OTEL_METRICS_EXPORTER=none`;

export interface NoTracesProps {
  readonly tracing: Tracing;
  /** Plural, as `transactions`. */
  readonly what: string;
  /** The page without search and filters. */
  readonly path: string;
  /** A search or a filter of the page narrows the list. @default false */
  readonly isSearched?: boolean;
}

/** In place of a list: why there is nothing, and what would fill it. */
export function NoTraces({ tracing, what, path, isSearched = false }: NoTracesProps) {
  const { project, scope, environments, services, releases } = tracing;
  const hasNarrowed = isSearched || isNarrowed(scope) || scope.services.length > 0;
  if (hasNarrowed || environments.length + services.length + releases.length > 0) {
    return (
      <EmptyState
        icon="search"
        title={hasNarrowed ? `No ${what} match` : `No ${what} in this time`}
        actions={<LinkButton href={path}>Show all {what} of the last 14 days</LinkButton>}
      >
        Nothing was received in this time and scope{isSearched ? " that the search asks for" : ""}.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="traces"
      title={`No ${what} yet`}
      actions={<LinkButton href={sectionPath(project.id, "setup")}>Open the setup page</LinkButton>}
    >
      They come from Sentry's SDKs with tracing turned on, and from OpenTelemetry:
      <div class="mt-3 text-left">
        <CodeBlock
          id="tracing-snippet"
          label="How to send traces"
          language="javascript"
          code={SNIPPETS}
        />
      </div>
    </EmptyState>
  );
}
