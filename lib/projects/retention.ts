/** For how long a project keeps which kind of data. */
import { type ProjectSettings, RETENTION_KINDS, type RetentionKind } from "../accounts/projects.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";

type Retention = ProjectSettings["retention"];

/**
 * Checks days by kind.
 *
 * @param days null and absent: as long as the instance keeps anything
 * @param most the instance's days
 * @returns what is to be stored: what is as long as the instance's is left out, so that it follows
 * @throws {InvalidInput} at the kind
 */
export function checkRetention(
  days: Readonly<Partial<Record<RetentionKind, number | null | undefined>>>,
  most: number,
): Retention {
  const kept: Partial<Record<RetentionKind, number>> = {};
  for (const kind of RETENTION_KINDS) {
    const asked = days[kind] ?? null;
    if (asked === null) continue;
    if (!Number.isInteger(asked) || asked < 1 || asked > most) {
      throw new InvalidInput(
        kind,
        t("Enter whole days from 1 to {most}; the instance keeps nothing for longer.", { most }),
      );
    }
    if (asked < most) kept[kind] = asked;
  }
  return kept;
}

/** What the form of the page sends: empty fields follow the instance. @throws {InvalidInput} */
export function readRetention(form: URLSearchParams, most: number): Retention {
  return checkRetention(
    Object.fromEntries(RETENTION_KINDS.map((kind) => {
      const text = form.get(kind)?.trim() ?? "";
      return [kind, text === "" ? null : /^\d{1,5}$/.test(text) ? Number(text) : NaN];
    })),
    most,
  );
}

/** A kind of data, and what belongs to it. */
export function retentionWords(kind: RetentionKind): { label: string; help: string } {
  switch (kind) {
    case "errors":
      return { label: t("Errors"), help: t("Events, issues without events, and feedback") };
    case "transactions":
      return {
        label: t("Transactions and spans"),
        help: t("Counts and durations over time stay."),
      };
    case "profiles":
      return { label: t("Profiles"), help: t("With their files") };
    case "metrics":
      return { label: t("Metrics"), help: t("All data points") };
    case "logs":
      return { label: t("Logs"), help: t("All records") };
    case "sessions":
      return {
        label: t("Sessions@@release health"),
        help: t("With the figures of release health"),
      };
    case "attachments":
      return { label: t("Attachments"), help: t("Files of events; never longer than these") };
    case "checks":
      return { label: t("Monitors"), help: t("Check-ins, uptime checks and closed incidents") };
  }
}
