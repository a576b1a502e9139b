import { define } from "../lib/web/define.ts";

/** The process lives; says nothing about its stores. */
export const handler = define.handlers({
  GET: () => Response.json({ status: "alive" }),
});
