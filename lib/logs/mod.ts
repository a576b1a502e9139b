/** What other rooms may use of logs. */
export { countLogsOfTrace } from "./queries.ts";
