/** What other rooms may use of traces. */
export { listTraces, type TraceRow } from "./list/trace_list.ts";
export { parseTraceSearch } from "./list/trace_search.ts";
