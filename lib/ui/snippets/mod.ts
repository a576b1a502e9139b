/** Ready snippets for the Setup page, by platform. */
import { browser } from "./browser.ts";
import { go } from "./go.ts";
import { metrics } from "./metrics.ts";
import { node } from "./node.ts";
import { opentelemetry } from "./opentelemetry.ts";
import { php } from "./php.ts";
import { profiling } from "./profiling.ts";
import { python } from "./python.ts";
import type { Snippet } from "./snippet.ts";

export type { Snippet, SnippetStep } from "./snippet.ts";

export interface PlatformSnippet extends Snippet {
  /** Id of the platform (see platforms.ts), `opentelemetry`, `metrics` or `profiling`. */
  readonly platform: string;
  readonly label: string;
}

export const SNIPPETS: readonly PlatformSnippet[] = [
  { platform: "javascript", label: "Browser", ...browser },
  { platform: "node", label: "Node", ...node },
  { platform: "python", label: "Python", ...python },
  { platform: "php", label: "PHP", ...php },
  { platform: "go", label: "Go", ...go },
  { platform: "opentelemetry", label: "OpenTelemetry", ...opentelemetry },
  { platform: "metrics", label: "Metrics", ...metrics },
  { platform: "profiling", label: "Profiling", ...profiling },
];

/** The snippet to show: the one asked for, else the project's own platform, else the first. */
export function snippetFor(asked: string | null, projectPlatform: string): PlatformSnippet {
  const [first] = SNIPPETS;
  if (first === undefined) throw new Error("There are no snippets");
  return SNIPPETS.find(({ platform }) => platform === asked) ??
    SNIPPETS.find(({ platform }) => projectPlatform.startsWith(platform)) ??
    first;
}
