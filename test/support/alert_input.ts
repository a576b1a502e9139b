import type { AlertInput } from "../../lib/alerts/rule.ts";

/** More than five errors in a minute are critical. */
export function alertInput(fields: Partial<AlertInput> = {}): AlertInput {
  return {
    name: "Many errors",
    source: { kind: "errors", measure: "events", search: "" },
    environments: [],
    condition: { comparison: ">", warning: null, critical: 5, recovery: null },
    windowMinutes: 1,
    forMinutes: 0,
    noData: "ok",
    channelIds: [],
    schedule: null,
    mutedUntil: null,
    isEnabled: true,
    ...fields,
  };
}
