import type { Panel } from "../content.ts";
import { queryWords } from "../../metrics/query_words.ts";
import { MEASURE_WORDS } from "./measures.ts";

/** The title of a panel; without one of its own, what it shows. */
export function panelTitle(panel: Panel): string {
  if (panel.title.trim() !== "") return panel.title;
  switch (panel.kind) {
    case "metrics":
      return panel.queries.map(queryWords).join("; ");
    case "errors":
      return panel.search === "" ? "Errors" : `Errors: ${panel.search}`;
    case "transactions":
      return panel.transaction === ""
        ? MEASURE_WORDS[panel.measure]
        : `${MEASURE_WORDS[panel.measure]} of ${panel.transaction}`;
    case "text":
      return "Text";
  }
}
