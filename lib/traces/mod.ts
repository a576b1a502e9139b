/** What other rooms may use of traces. */
export { INDEXED_TRANSACTIONS } from "./list/index_transactions.ts";
export { listTraces, type TraceRow } from "./list/trace_list.ts";
export { parseTraceSearch } from "./list/trace_search.ts";
export { readTotals, type VitalStats } from "./vitals/load_vitals.ts";
export { RatingBadge, VitalStrip } from "./vitals/vital_cards.tsx";
export { formatVital, type Rating, ratingOf, type Vital, VITALS } from "./vitals/vital_scores.ts";
