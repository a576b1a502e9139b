export { startAuditWebhooks } from "./deliver.ts";
export { startAuditClock } from "./move.ts";
