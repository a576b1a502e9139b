import { define } from "../lib/server/define.ts";
import { beats } from "../lib/server/own_health/beats.ts";

/** The process lives; says nothing about its stores. With `?stream` in two events, a second apart. */
export const handler = define.handlers({
  GET: ({ url }) => url.searchParams.has("stream") ? beats() : Response.json({ status: "alive" }),
});
