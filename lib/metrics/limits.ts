/** How much of metrics a project may have. Those of a single point are the decoders'. */

/** Series of a metric that are seen today or yesterday. */
export const MAX_SERIES_OF_METRIC = 10_000;
/** Of a whole project. */
export const MAX_SERIES_OF_PROJECT = 100_000;
/** Exemplars that are kept of a series and minute. */
export const EXEMPLARS_A_MINUTE = 4;
