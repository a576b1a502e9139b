/** What a writer knows to be stored, and need not write again. */
import { IssueValues } from "./events.ts";
import { KnownReleases } from "./releases.ts";
import { KnownSeries } from "./save_metrics.ts";
import { KnownSenders } from "./save_spans.ts";
import { KnownTagSets } from "./tag_sets.ts";

/** Each part is asked for what is new before a transaction, and told after its commit. */
export interface WriterMemory {
  readonly values: IssueValues;
  readonly tagSets: KnownTagSets;
  readonly releases: KnownReleases;
  readonly series: KnownSeries;
  readonly senders: KnownSenders;
}

/** Knows nothing: all is written once more. */
export function emptyMemory(): WriterMemory {
  return {
    values: new IssueValues(),
    tagSets: new KnownTagSets(),
    releases: new KnownReleases(),
    series: new KnownSeries(),
    senders: new KnownSenders(),
  };
}
