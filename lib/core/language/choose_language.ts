/** Which of our languages a visitor reads, as the browser tells it. */
import { isLanguage, type Language } from "./translate.ts";

/** Far more than any browser sends. */
const MAX_HEADER_LENGTH = 1_000;

/**
 * The language of ours that an `Accept-Language` header likes best (RFC 9110, 12.5.4): of `ru-RU` its `ru`. English where it
 * names none of them; a header that is no such list names none.
 *
 * @param header its value, or null
 */
export function languageOfHeader(header: string | null): Language {
  let best: Language = "en";
  let liking = 0;
  for (const range of (header ?? "").slice(0, MAX_HEADER_LENGTH).split(",")) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const language = tag.split("-", 1)[0] ?? "";
    const weight = weightOf(parameters);
    if (isLanguage(language) && weight > liking) [best, liking] = [language, weight];
  }
  return best;
}

/** 0 to 1; 1 where nothing is said, 0 for what is no weight. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  if (weight === undefined) return 1;
  const value = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
  return Number.isFinite(value) ? value : 0;
}
