/** Ready snippets for the Setup page, by platform. */
import { platformOf } from "../platforms.tsx";
import { metrics } from "./metrics.ts";
import { opentelemetry } from "./opentelemetry.ts";
import { profiling } from "./profiling.ts";
import { SDKS } from "./sdks.ts";
import { sites } from "./sites.ts";
import type { Snippet } from "./snippet.ts";

export type { Snippet, SnippetStep } from "./snippet.ts";

export const SNIPPETS: readonly Snippet[] = [...SDKS, sites, opentelemetry, metrics, profiling];

/** The snippet to show: the one asked for, else the project's own platform, else the first. */
export function snippetFor(asked: string | null, projectPlatform: string): Snippet {
  const [first] = SNIPPETS;
  if (first === undefined) throw new Error("There are no snippets");
  const of = (id: string) => SNIPPETS.find(({ platform }) => platform === id);
  const asking = asked ?? "";
  return of(asking) ?? of(platformOf(asking).id) ?? of(projectPlatform) ??
    of(platformOf(projectPlatform).id) ?? first;
}
