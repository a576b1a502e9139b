/** How the project is set, as one document: it is of no time. */
import { settingsDocument } from "../settings/document.ts";
import type { ExportSource } from "./source.ts";

/** Makes the source. @param kv has the project's own settings */
export function settingsFrom(kv: Deno.Kv): ExportSource {
  return {
    name: "settings",
    async next({ sql }, { projectId }) {
      const document = await settingsDocument(kv, sql, projectId);
      const content = `${JSON.stringify(document, null, 2)}\n`;
      return {
        cursor: null,
        counts: {},
        pieces: document === null ? [] : [{ name: "settings.json", content }],
      };
    },
  };
}
