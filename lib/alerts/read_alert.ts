import { z } from "zod";
import { checkAlert } from "./check_input.ts";
import type { AlertInput } from "./rule.ts";
import { readJson } from "../api/api_input.ts";
import { ApiError } from "../api/api_error.ts";

/** `checkAlert()` looks into it. */
const Body = z.looseObject({});

/**
 * Reads an alert out of a body.
 *
 * @param former what holds where the body says nothing; null: it must say everything that has no default
 * @throws {ApiError} 400 that names each wrong field by its path
 * @throws {Refusal} 413 for a body over 100 kB
 */
export async function readAlert(req: Request, former: AlertInput | null): Promise<AlertInput> {
  const body = await readJson(req, Body);
  const checked = checkAlert({ ...former, ...body });
  if (checked.ok) return checked.input;
  const problems: Record<string, string[]> = {};
  for (const { field, message } of checked.problems) {
    (problems[field === "" ? "non_field_errors" : field] ??= []).push(message);
  }
  throw ApiError.fields(problems);
}
