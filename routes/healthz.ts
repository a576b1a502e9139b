import { define } from "../lib/server/define.ts";

/** The process lives; says nothing about its stores. */
export const handler = define.handlers({
  GET: () => Response.json({ status: "alive" }),
});
