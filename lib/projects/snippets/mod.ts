/** Ready snippets for the Setup page, by platform. */
import { platformOf } from "../platforms.tsx";
import { browser, dotnet, go, java, node, php, python, ruby, rust, type Snippet } from "./sdks.ts";
import { metrics } from "./metrics.ts";
import { opentelemetry } from "./opentelemetry.ts";
import { profiling } from "./profiling.ts";

export type { Snippet, SnippetStep } from "./sdks.ts";

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
  { platform: "java", label: "Java", ...java },
  { platform: "ruby", label: "Ruby", ...ruby },
  { platform: "dotnet", label: ".NET", ...dotnet },
  { platform: "rust", label: "Rust", ...rust },
  { platform: "opentelemetry", label: "OpenTelemetry", ...opentelemetry },
  { platform: "metrics", label: "Metrics", ...metrics },
  { platform: "profiling", label: "Profiling", ...profiling },
];

/** The snippet to show: the one asked for, else the project's own platform, else the first. */
export function snippetFor(asked: string | null, projectPlatform: string): PlatformSnippet {
  const [first] = SNIPPETS;
  if (first === undefined) throw new Error("There are no snippets");
  const of = (id: string) => SNIPPETS.find(({ platform }) => platform === id);
  const asking = asked ?? "";
  return of(asking) ?? of(platformOf(asking).id) ?? of(projectPlatform) ??
    of(platformOf(projectPlatform).id) ?? first;
}
