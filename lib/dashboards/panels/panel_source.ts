import type { Panel } from "../content.ts";
import { issuesPath } from "../../ui/links_issues.ts";
import { exploreHref } from "../../metrics/paths.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";
import type { PanelData } from "./panel_data.ts";

export interface PanelSource {
  readonly href: string;
  /** What is there. */
  readonly words: string;
}

/**
 * Where a panel's data can be looked into; null for texts.
 *
 * @param data knows the chosen values of variables
 */
export function panelSource(
  projectId: string,
  scope: Scope,
  panel: Panel,
  data: PanelData | undefined,
): PanelSource | null {
  switch (panel.kind) {
    case "metrics": {
      const asked = data?.kind === "metrics" || data?.kind === "heat" ? data.panel : panel;
      return { href: exploreHref(projectId, asked, scope), words: "Open in the explorer" };
    }
    case "errors":
      return {
        href: scopedHref(issuesPath(projectId), scope, { query: panel.search }),
        words: "Open the issues",
      };
    case "transactions":
      return panel.transaction === ""
        ? {
          href: scopedHref(sectionPath(projectId, "performance"), scope),
          words: "Open performance",
        }
        : {
          href: transactionHref(projectId, scope, panel.transaction),
          words: "Open the transaction",
        };
    case "text":
      return null;
  }
}
