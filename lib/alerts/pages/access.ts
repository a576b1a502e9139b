import type { Permission } from "../../accounts/roles.ts";

/** What making, changing, muting and testing alerts asks for. */
export const ALERT_WRITE: Permission = "alert:write";
