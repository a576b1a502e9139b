/** What the intake and the server use of exports and imports. */
export { type CameFrom, noteCameTo, readSourceId } from "./came_to.ts";
export { FORMAT } from "./files.ts";
export { type HistoryScene, isHistory, takeHistories } from "./histories/take.ts";
export { takeBundle } from "./import_bundle.ts";
export { takeIssue } from "./import_issues.ts";
export { type PastScene, takeRuns, takeSessions } from "./import_past.ts";
export { takeReleases } from "./import_releases.ts";
export { keyOfPart } from "./parts.ts";
export { isSettings, takeSettings } from "./settings/take.ts";
export { LOG_ID } from "./sources/logs.ts";
export { REST } from "./sources/spans.ts";
export { TRANSACTION_ID } from "./sources/transactions.ts";
export { type Counts, sumOf, type Transfer } from "./transfers.ts";
export { type RunImport, startTransfers, type Step, TransferFailed } from "./work.ts";
