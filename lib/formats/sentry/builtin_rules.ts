import type { NormalizedEvent } from "./normalized_event.ts";
import { mainException } from "./title.ts";

const SCRIPT_PLATFORMS = new Set(["javascript", "node", "other"]);

const CHUNK_ERROR =
  /^Loading (?:CSS )?chunk \S{1,100} failed|^Failed to fetch dynamically imported module|^error loading dynamically imported module|^Importing a module script failed/;

const HYDRATION_ERROR =
  /^(?:Hydration failed because|Text content does not match server-rendered HTML|There was an error while hydrating|The server could not finish this Suspense boundary)|Minified React error #(?:418|419|422|423|425)\b/;

/**
 * The name of the one group that an error belongs to whatever its stack: after a deployment, every page that
 * is still open may miss a chunk of code, or disagree with the server's HTML, each at a place of its own.
 */
export function builtinGroup(event: NormalizedEvent): string | undefined {
  if (!SCRIPT_PLATFORMS.has(event.platform)) return undefined;
  const main = mainException(event);
  if (!main) return undefined;
  const value = main.value ?? "";
  if (main.type === "ChunkLoadError" || CHUNK_ERROR.test(value)) return "chunk-load-error";
  return HYDRATION_ERROR.test(value) ? "hydration-error" : undefined;
}
