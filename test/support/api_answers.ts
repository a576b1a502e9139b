/** Holds answers of the management API to what its document says of them. */
import assert from "node:assert/strict";
import type { z } from "zod";
import { API_ROUTES } from "@/lib/server/app.tsx";

const PATTERNS = Object.entries(API_ROUTES).map(([path, methods]) => ({
  pattern: new URLPattern({ pathname: `/api/0${path}{/}?` }),
  methods,
}));

/**
 * Compares an answer with the schema of its method: properties that the schema does not name are missing then.
 *
 * @param path as it was asked for
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  if (status >= 400 || body === null) return;
  const { pathname } = new URL(path, "http://localhost");
  const found = PATTERNS.find(({ pattern }) => pattern.test({ pathname }));
  const answer = found?.methods[method as keyof typeof found.methods]?.answer;
  // Files have none.
  if (answer === undefined) return;
  assert.deepEqual(parsed(answer, body, `${method} ${pathname}`), body);
}

function parsed(answer: z.ZodType, body: unknown, asked: string): unknown {
  const { success, data, error } = answer.safeParse(body);
  assert.ok(success, `${asked}: ${error?.message}`);
  return data;
}
