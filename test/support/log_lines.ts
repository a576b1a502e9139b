import type { LogFields, Logger } from "../../lib/core/log.ts";

export interface LoggedLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export function logLines(): { readonly log: Logger; readonly lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const keep = (level: LoggedLine["level"]) => (message: string, fields: LogFields = {}) => {
    lines.push({ level, message, fields });
  };
  return { lines, log: { info: keep("info"), warn: keep("warn"), error: keep("error") } };
}
