import { z } from "zod";
import { readBody } from "../ingest/receive.ts";
import { ApiError } from "./api_error.ts";

/** Bodies of the management API are a few fields; ids of a thousand issues fit as well. */
const MAX_BODY_BYTES = 100_000;
/** Where Sentry's clients look for problems that belong to no field. */
const NO_FIELD = "non_field_errors";

/**
 * Reads a JSON body. An empty one counts as `{}`; properties that the schema does not name are ignored,
 * since Sentry's clients send some that mean nothing here.
 *
 * @throws {ApiError} 400 naming each wrong field
 * @throws {Refusal} 413 for a body over 100 kB
 */
export async function readJson<T>(req: Request, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBody(req, { maxBytes: MAX_BODY_BYTES });
  const result = schema.safeParse(bytes.length === 0 ? {} : parse(bytes), { error: problemOf });
  if (result.success) return result.data;
  throw ApiError.fields(problemsOf(result.error));
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw ApiError.detail(400, "JSON parse error: the body is not valid JSON in UTF-8.");
  }
}

function problemOf({ input }: { input?: unknown }): string | undefined {
  return input === undefined ? "This field is required." : undefined;
}

function problemsOf(error: z.ZodError): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const { path: [field], message } of error.issues) {
    (problems[field === undefined ? NO_FIELD : String(field)] ??= []).push(message);
  }
  return problems;
}
