/** After how long issues that do not happen any more are resolved by themselves. */
import { z } from "zod";
import { MAX_RESOLVE_DAYS } from "../accounts/setting_limits.ts";
import { t } from "../core/language/translate.ts";
import { textField } from "../ui/form.ts";

const HOURS_A_DAY = 24;
const WRONG_DAYS = {
  error: () => t("Enter whole days, from 0 to {most}. 0: never.", { most: MAX_RESOLVE_DAYS }),
};

/** The form of the settings: days. */
export const ResolveForm = z.object({
  resolveAfterDays: textField.pipe(
    z.string().regex(/^\d{1,4}$/, WRONG_DAYS).transform(Number)
      .refine((days) => days <= MAX_RESOLVE_DAYS, WRONG_DAYS),
  ),
});

/** Sentry's form: hours; the store knows days, and nothing is resolved earlier than asked. */
export const ResolveAge = z.int("write whole hours").min(0, "write 0 or more")
  .max(MAX_RESOLVE_DAYS * HOURS_A_DAY, `write at most ${MAX_RESOLVE_DAYS * HOURS_A_DAY}`);

export function daysOfHours(hours: number): number {
  return Math.ceil(hours / HOURS_A_DAY);
}

export function hoursOfDays(days: number): number {
  return days * HOURS_A_DAY;
}
