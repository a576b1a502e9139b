import type { Sql } from "../../store/database.ts";
import {
  createRule,
  type StoredRule,
  TooManyRules,
  UnknownChannel,
  updateRule,
} from "../rules.ts";
import { FIELDS } from "./form_params.ts";
import type { ReadForm } from "./read_form.ts";

/** The saved alert, or the form with what is wrong with it. */
export type SaveResult =
  | { readonly saved: StoredRule }
  | { readonly saved: null; readonly form: ReadForm };

/** Whether a form asks to be saved, and not for a preview or another row. */
export function isSave(params: URLSearchParams): boolean {
  return params.get("action") === "save";
}

/**
 * Saves what the form says, where it asks for that and has no errors.
 *
 * @param rule the alert that is changed; null for a new one
 * @param by e-mail address of whoever does it
 */
export async function saveAlert(
  sql: Sql,
  projectId: string,
  form: ReadForm,
  rule: StoredRule | null,
  by: string,
): Promise<SaveResult> {
  const { params, input } = form;
  if (!isSave(params) || input === null) return { saved: null, form };
  try {
    const saved = rule === null
      ? await createRule(sql, projectId, input, by)
      : await updateRule(sql, projectId, rule.ruleId, input, by);
    if (saved !== null) return { saved };
    const message = "Somebody has deleted this alert in the meantime.";
    return { saved: null, form: { ...form, errors: { "": message } } };
  } catch (error) {
    if (error instanceof UnknownChannel) {
      return { saved: null, form: { ...form, errors: { [FIELDS.channel]: error.message } } };
    }
    if (!(error instanceof TooManyRules)) throw error;
    return { saved: null, form: { ...form, errors: { "": error.message } } };
  }
}
