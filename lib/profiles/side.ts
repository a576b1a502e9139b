import type { Side } from "./shape.ts";

/** Which half of a function's graph a script asks for. */
export function sideIn(query: URLSearchParams): Side {
  const side = query.get("side");
  return side === "callers" || side === "callees" ? side : null;
}
