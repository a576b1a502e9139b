import type { ComponentChildren } from "preact";
import { LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { sectionPath } from "../ui/links.ts";

export interface NoProfilesProps {
  readonly projectId: string;
  /** The scope or a filter narrows what is looked for. */
  readonly isNarrowed: boolean;
  /** What to run, with the key filled in, from the setup page. */
  readonly snippet: string;
}

/** In place of everything: why there are no profiles, and what would send some. */
export function NoProfiles({ projectId, isNarrowed, snippet }: NoProfilesProps) {
  const setup = `${sectionPath(projectId, "setup")}?platform=profiling`;
  if (isNarrowed) {
    return (
      <Box>
        <EmptyState
          icon="search"
          title="No profiles match"
          actions={
            <LinkButton href={sectionPath(projectId, "profiling")}>
              Show all profiles of the last 14 days
            </LinkButton>
          }
        >
          None came in this time and scope that are as the filters ask.
        </EmptyState>
      </Box>
    );
  }
  return (
    <Box>
      <EmptyState
        icon="profiling"
        title="No profiles in this time"
        actions={<LinkButton href={setup}>Open the setup page</LinkButton>}
      >
        They tell where your code spends time and memory. Any pprof is taken, as Go serves it
        itself, and so are profiles of Sentry's SDKs, of OpenTelemetry and of Pyroscope's agents:
        <div class="mt-3 text-left">
          <CodeBlock
            id="profiling-snippet"
            label="How to send a profile"
            language="bash"
            code={snippet}
          />
        </div>
      </EmptyState>
    </Box>
  );
}

function Box({ children }: { readonly children: ComponentChildren }) {
  return <div class="rounded-lg border border-line bg-surface">{children}</div>;
}
