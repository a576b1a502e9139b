/** Sends where panels stand. */
import type { Placed } from "./layout.ts";

/** What became of it; `version` is that of the dashboard as it is now. */
export interface LayoutAnswer {
  readonly isSaved: boolean;
  /** Null when nobody could tell. */
  readonly version: number | null;
  /** What to say. */
  readonly sentence: string;
}

const NO_ANSWER: LayoutAnswer = {
  isSaved: false,
  version: null,
  sentence: "The layout could not be saved: the service did not answer.",
};

/** Saves a layout unless somebody changed the dashboard in the meantime. Never throws. */
export async function saveLayout(
  path: string,
  version: number,
  panels: readonly Placed[],
): Promise<LayoutAnswer> {
  const layout = JSON.stringify(panels.map(({ id, place }) => ({ id, place })));
  try {
    const response = await fetch(path, {
      method: "POST",
      body: new URLSearchParams({ version: String(version), layout }),
      redirect: "error",
    });
    const answer: unknown = await response.json();
    return isAnswer(answer) ? answer : NO_ANSWER;
  } catch {
    return NO_ANSWER;
  }
}

function isAnswer(value: unknown): value is LayoutAnswer {
  return typeof value === "object" && value !== null && "isSaved" in value && "version" in value &&
    "sentence" in value;
}
