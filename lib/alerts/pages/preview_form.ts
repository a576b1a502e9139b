import type { Project } from "../../accounts/projects.ts";
import type { Services } from "../../server/services.ts";
import type { AlertInput, Condition } from "../rule.ts";
import type { Previewed } from "../evaluation/preview.ts";
import type { ChartBand } from "../../ui/charts/mod.ts";
import type { ChartedValues } from "./alert_chart.tsx";
import { bandsOf, spansOfPreview, timesFired } from "./firing_bands.ts";
import { RANGE_MS, rangeFor } from "./ranges.ts";
import type { ReadForm } from "./read_form.ts";
import { chartedValues, tryPreview } from "./try_preview.ts";
import { firedWords, sourceWords } from "../words.ts";

/** What the alert of a form would have seen and done, or why that cannot be told. */
export type FormPreview =
  | {
    readonly ok: true;
    readonly title: string;
    readonly input: Pick<AlertInput, "source"> & Partial<Pick<AlertInput, "condition">>;
    readonly charted: ChartedValues;
    readonly bands: readonly ChartBand[];
    /** How often it would have fired. */
    readonly words: string;
  }
  | { readonly ok: false; readonly reason: string };

/** Never reached: the values show before anybody has thought of a level. */
const NO_LEVEL: Condition = { comparison: ">", warning: null, critical: Infinity, recovery: null };

/**
 * Looks at what an alert would have seen lately. While it has no levels yet, its values alone.
 *
 * @returns null while its source is not whole
 */
export async function previewForm(
  services: Pick<Services, "sql" | "log">,
  project: Project,
  form: ReadForm,
  now: Date = new Date(),
): Promise<FormPreview | null> {
  const { source, input } = form;
  if (source === null) return null;
  const previewed: Previewed = input ?? {
    source,
    environments: form.environments,
    condition: NO_LEVEL,
    windowMinutes: form.windowMinutes,
    forMinutes: 0,
    noData: "ok",
  };
  const start = new Date(now.getTime() - RANGE_MS[rangeFor(previewed.windowMinutes)]);
  const tried = await tryPreview(services, project, previewed, { start, end: now });
  if (!tried.ok) return tried;
  const { preview } = tried;
  return {
    ok: true,
    title: sourceWords(source),
    input: input ?? { source },
    charted: chartedValues(preview),
    bands: bandsOf(spansOfPreview(preview)),
    words: input === null
      ? "Enter a critical level to see when it would have fired."
      : firedWords(timesFired(preview)),
  };
}
