/** In which language and time zone a person reads: kept with their account, so that it holds for mails as well. */
import { InvalidInput } from "../core/errors.ts";
import { isTimeZone } from "../core/language/time_zones.ts";
import { isLanguage, type Language, t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import type { User } from "./users.ts";

/** How texts for a person are written. */
export interface Reader {
  readonly language: Language;
  /** An IANA name, or `UTC`. */
  readonly timeZone: string;
}

/** How mails to a person are written; they chose nothing: English, and UTC. */
export function readerOf(user: Pick<User, "language" | "timeZone"> | null): Reader {
  return { language: user?.language ?? "en", timeZone: user?.timeZone ?? "UTC" };
}

/**
 * Changes in which language and time zone a person reads.
 *
 * @param choice as entered; what is absent stays
 * @returns the changed user, or null when there is none of this id
 * @throws {InvalidInput} for what is no language or time zone of ours
 */
export async function setReader(
  kv: Deno.Kv,
  userId: string,
  choice: { readonly language?: string; readonly timeZone?: string },
): Promise<User | null> {
  const checked = checkChoice(choice);
  return await untilCommitted<User | null>("change the language", async () => {
    const entry = await kv.get<User>(keyOf.user(userId));
    if (entry.value === null) return null;
    const user = { ...entry.value, ...checked };
    const changes = changesBetween(readerOf(entry.value), readerOf(user));
    const atomic = kv.atomic().check(entry).set(entry.key, user);
    if (Object.keys(changes).length > 0) {
      addAudit(atomic, {
        event: "user.edit",
        organizationId: null,
        target: { kind: "user", id: user.id, label: user.email },
        changes,
      });
    }
    return (await atomic.commit()).ok ? user : conflict;
  });
}

function checkChoice(
  { language, timeZone }: { readonly language?: string; readonly timeZone?: string },
): Partial<Reader> {
  if (language !== undefined && !isLanguage(language)) {
    throw new InvalidInput("language", t("Choose one of the languages."));
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw new InvalidInput(
      "timeZone",
      t("Choose a time zone from the list, such as Europe/Berlin."),
    );
  }
  return {
    ...(language === undefined ? {} : { language }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}
