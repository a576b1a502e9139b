import manifest from "../../deno.json" with { type: "json" };

/** Of this Watchpost, as `0.1.0`. */
export const VERSION: string = manifest.version;
