/** What other rooms may use of logs. */
export { countLogsOfTrace } from "./queries.ts";
export { INDEXED_LOGS } from "./index_logs.ts";
