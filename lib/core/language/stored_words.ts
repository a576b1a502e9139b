/** Sentences that were stored in English when something happened, in the language of whoever reads them later. */
import { type Message, t } from "./translate.ts";

interface Known {
  readonly message: Message;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

const PLACE = /\\?\{(\w+)\\?\}/g;

/**
 * A reader of stored sentences.
 *
 * @param messages those that the sentences were made of, in English, with their places; the first that fits counts
 * @returns what gives a sentence in the reader's language, or as it is when it was made of none of them
 */
export function storedWords(messages: readonly Message[]): (sentence: string) => string {
  const known = messages.map(knownOf);
  return (sentence) => {
    for (const { message, pattern, names } of known) {
      const found = pattern.exec(sentence);
      if (found !== null) {
        return t(message, Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? ""])));
      }
    }
    return sentence;
  };
}

function knownOf(message: Message): Known {
  const escaped = message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return {
    message,
    pattern: new RegExp(`^${escaped.replace(PLACE, "(.*?)")}$`, "s"),
    names: [...message.matchAll(PLACE)].map(([, name = ""]) => name),
  };
}
