/** In which language and time zone a page is written for whoever asked for it. */
import type { User } from "../accounts/users.ts";
import { languageOfHeader } from "../core/language/choose_language.ts";
import { isLanguage, type Language } from "../core/language/translate.ts";
import { currentScope } from "../core/request_scope.ts";
import { LANGUAGE_COOKIE, readCookie, TIMES_COOKIE } from "../ui/cookies.ts";

/** The language of somebody who did not sign in: what they chose before, or what their browser says. */
export function languageOfVisitor(request: Request): Language {
  const chosen = readCookie(request, LANGUAGE_COOKIE) ?? "";
  return isLanguage(chosen) ? chosen : languageOfHeader(request.headers.get("accept-language"));
}

/** From here on the texts of the request in hand are for this person. */
export function readAs({ language, timeZone }: User, request: Request): void {
  const scope = currentScope();
  if (language !== undefined) scope.language = language;
  if (readCookie(request, TIMES_COOKIE) !== "utc") scope.timeZone = timeZone ?? "UTC";
}
