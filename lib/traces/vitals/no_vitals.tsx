import { LinkButton } from "../../ui/components/button.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { DEFAULT_RANGE, isNarrowed } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Tracing } from "../../releases/load_tracing.ts";

const SNIPPET = `import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "…",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1.0,
});`;

export interface NoVitalsProps {
  readonly tracing: Tracing;
  /** A search narrows the list, or a single page is asked for. @default false */
  readonly isSearched?: boolean;
}

/** In place of vitals: why there are none, and how browsers come to send them. */
export function NoVitals({ tracing, isSearched = false }: NoVitalsProps) {
  const { project, scope } = tracing;
  if (isSearched || isNarrowed(scope) || scope.services.length > 0) {
    return (
      <EmptyState
        icon="search"
        title="No pages match"
        actions={
          <LinkButton href={sectionPath(project.id, "web-vitals")}>
            Show all pages of the last 14 days
          </LinkButton>
        }
      >
        Nothing was measured in this time and scope that is asked for.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="vitals"
      title="No Web Vitals in this time"
      actions={
        <>
          <LinkButton href={sectionPath(project.id, "setup")}>Open the setup page</LinkButton>
          {scope.range !== DEFAULT_RANGE && (
            <LinkButton href={sectionPath(project.id, "web-vitals")}>
              Look at the last 14 days
            </LinkButton>
          )}
        </>
      }
    >
      Browsers measure them, and Sentry's browser SDKs send them once tracing of page loads is
      turned on:
      <div class="mt-3 text-left">
        <CodeBlock
          id="vitals-snippet"
          label="How to turn browser tracing on"
          language="javascript"
          code={SNIPPET}
        />
      </div>
      <p class="mt-3">
        LCP, CLS and INP arrive when a visitor leaves the page or hides it.
      </p>
    </EmptyState>
  );
}
