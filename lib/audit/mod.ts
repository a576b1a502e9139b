export { moveAudit, startAuditClock } from "./move.ts";
