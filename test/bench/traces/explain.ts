import postgres from "postgres";
import { arrayTypes } from "@/lib/store/values.ts";
import type { Sql } from "@/lib/store/database.ts";

/** Connects so that Postgres tells how it ran each statement that was slow; needs the right to load `auto_explain`. */
export function connectExplained(
  url: string,
  slowMs: number,
  tell: (plan: string) => void,
): Sql {
  return postgres(url, {
    max: 10,
    fetch_types: false,
    types: arrayTypes,
    onnotice: ({ message }) => {
      if (message?.startsWith("duration:")) tell(message);
    },
    connection: {
      application_name: "watchpost",
      session_preload_libraries: "auto_explain",
      client_min_messages: "log",
      "auto_explain.log_min_duration": slowMs,
      "auto_explain.log_analyze": true,
      "auto_explain.log_buffers": true,
    },
  });
}
