/**
 * How script on a page knows the reader's language: the server has written language and time zone at the document, and of
 * languages other than English a script with the messages that islands use, which the build makes
 * (`lib/ui/build_messages.ts`).
 */
import { isLanguage, setLanguageSource } from "../core/language/translate.ts";

/** Where the messages of a language are, as a script. */
export function messagesPath(language: string): string {
  return `/messages.${language}.js`;
}

/** Name of the global that the script sets. */
export const MESSAGES_GLOBAL = "watchpostMessages";

// On the server, which imports islands as well, it is known by request.
if (typeof document !== "undefined") {
  const { lang, dataset } = document.documentElement;
  const messages: unknown = Reflect.get(globalThis, MESSAGES_GLOBAL);
  const isThere = typeof messages === "object" && messages !== null;
  setLanguageSource({
    // Without the messages everything is said in English, by its rules for plurals.
    language: () => isThere && isLanguage(lang) ? lang : "en",
    timeZone: () => dataset.zone ?? "UTC",
    catalogue: () => isThere ? messages : null,
  });
}
