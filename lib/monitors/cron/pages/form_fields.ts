/** The form of a cron job as fields, and back. */
import { t } from "@/lib/core/language/translate.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import type { Sql } from "@/lib/store/database.ts";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { fieldOf } from "@/lib/ui/form.ts";
import { type MonitorConfig, NUMBERS, readConfig } from "../config.ts";
import {
  checkName,
  checkSlug,
  createMonitor,
  type Monitor,
  slugOfName,
  updateMonitor,
} from "../monitors.ts";

/** What stands in the fields, as text. */
export type FormValues = Readonly<Record<FieldName, string>>;

const FIELDS = [
  "name",
  "slug",
  "schedule_type",
  "crontab",
  "count",
  "unit",
  "timezone",
  "checkin_margin",
  "max_runtime",
  "failure_issue_threshold",
  "recovery_threshold",
] as const;
export type FieldName = (typeof FIELDS)[number];

/** What a new form begins with; a link may name the job. */
export function newValues(search: URLSearchParams): FormValues {
  return {
    name: (search.get("slug") ?? "").slice(0, 50),
    slug: (search.get("slug") ?? "").slice(0, 50),
    schedule_type: "crontab",
    crontab: "",
    count: "1",
    unit: "hour",
    timezone: "UTC",
    checkin_margin: "5",
    max_runtime: String(NUMBERS.max_runtime.default),
    failure_issue_threshold: "1",
    recovery_threshold: "1",
  };
}

/** What the form of a monitor shows at first. */
export function valuesOf({ name, slug, config }: Monitor): FormValues {
  const values = { ...newValues(new URLSearchParams()), name, slug };
  if (config === null) return values;
  const isCrontab = config.schedule_type === "crontab";
  return {
    ...values,
    schedule_type: config.schedule_type,
    crontab: isCrontab ? config.schedule : "",
    count: isCrontab ? "1" : String(config.schedule[0]),
    unit: isCrontab ? "hour" : config.schedule[1],
    timezone: config.timezone,
    checkin_margin: String(config.checkin_margin),
    max_runtime: String(config.max_runtime),
    failure_issue_threshold: String(config.failure_issue_threshold),
    recovery_threshold: String(config.recovery_threshold),
  };
}

/** What somebody has entered. */
export function enteredValues(form: URLSearchParams): FormValues {
  const entries = FIELDS.map((name) => [name, fieldOf(form, name).slice(0, 500)]);
  return Object.fromEntries(entries) as FormValues;
}

/** The settings that fields stand for, or what is wrong with which. */
export function configOfValues(
  values: FormValues,
): { readonly config: MonitorConfig | null; readonly errors: FormErrors } {
  const isInterval = values.schedule_type === "interval";
  const read = readConfig({
    ...values,
    schedule: isInterval ? [values.count, values.unit] : values.crontab,
  }, null);
  if (read.ok) return { config: read.config, errors: {} };
  const fieldName = (field: string) =>
    field === "schedule" ? isInterval ? "count" : "crontab" : field;
  return {
    config: null,
    errors: Object.fromEntries(
      read.problems.map(({ field, message }) => [fieldName(field), message]),
    ),
  };
}

type SaveResult =
  | { readonly saved: Monitor }
  | { readonly saved: null; readonly errors: FormErrors };

/**
 * Saves what a form says.
 *
 * @param monitor the one that is changed; null for a new one
 */
export async function saveMonitor(
  sql: Sql,
  projectId: string,
  values: FormValues,
  monitor: Monitor | null,
): Promise<SaveResult> {
  const { config, errors } = configOfValues(values);
  const problems: Record<string, string> = { ...errors };
  const name = checked(problems, () => checkName(values.name));
  const slug = monitor?.slug ??
    checked(problems, () => checkSlug(values.slug || slugOfName(values.name)));
  if (config === null || name === null || slug === null || Object.keys(problems).length > 0) {
    return { saved: null, errors: problems };
  }
  try {
    const saved = monitor === null
      ? await createMonitor(sql, projectId, slug, { name, config, isActive: true, isMuted: false })
      : await updateMonitor(sql, monitor, { ...monitor, name, config });
    if (saved !== null) return { saved };
    return {
      saved: null,
      errors: { "": t("Somebody has deleted this cron job in the meantime.") },
    };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { saved: null, errors: { [error.field]: error.message } };
  }
}

function checked(problems: Record<string, string>, check: () => string): string | null {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    problems[error.field] = error.message;
    return null;
  }
}
