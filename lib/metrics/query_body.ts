import { z } from "zod";
import { AGGREGATIONS } from "./query_types.ts";

const name = z.string().min(1).max(255);
const values = z.array(z.string().max(1_000)).max(100);
const period = z.string().max(40);

/**
 * Several queries and formulas. Ids are letters that formulas use; queries without one are a, b, c in their order, and
 * formulas f1, f2.
 */
export const QUERY_BODY = z.object({
  queries: z.array(z.object({
    id: z.string().max(10).optional(),
    metric: name,
    kind: z.enum(["counter", "gauge", "histogram"]).optional(),
    unit: z.string().max(255).optional(),
    /** Without one, the usual one of its kind. */
    aggregation: z.enum(AGGREGATIONS).optional(),
    /** As `route="/orders",status=~"5.."`. */
    filter: z.string().default(""),
    groupBy: z.array(name).default([]),
    top: z.number().int().min(1).max(100).default(10),
  })).min(1).max(10).transform((queries) =>
    queries.map((query, place) => ({ ...query, id: query.id ?? "abcdefghij"[place] ?? "a" }))
  ),
  formulas: z.array(z.object({
    id: z.string().max(10).optional(),
    expression: z.string().max(1_000),
    unit: z.string().max(255).default(""),
  })).max(10).default([]).transform((formulas) =>
    formulas.map((formula, place) => ({ ...formula, id: formula.id ?? `f${place + 1}` }))
  ),
  statsPeriod: period.optional(),
  start: period.optional(),
  end: period.optional(),
  /** Seconds, or as `5m`. */
  step: z.union([z.number().int().positive(), z.string().max(20)]).optional(),
  environment: values.optional(),
  release: values.optional(),
  service: values.optional(),
  compare: z.boolean().default(false),
});

export type QueryBody = z.infer<typeof QUERY_BODY>;
