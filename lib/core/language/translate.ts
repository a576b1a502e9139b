/**
 * What people read, in their language. English stands in the code and is the key of every other language's catalogue: who
 * reads the code reads the page, and a message that a catalogue lacks does not compile.
 *
 * A message may hold `{name}` for a value, `<name>words</name>` for words that are a link or bold, and, divided by `|`,
 * one form for each plural of its language, of which `n` chooses: `"{n} event|{n} events"`. Two messages that are the same
 * in English and differ elsewhere are told apart by what follows `@@`, which nobody sees: `"Open@@verb"`.
 *
 * Runs on the server and in browsers; says nothing of how either knows the reader's language.
 */
import type { russian } from "./ru.ts";

/** The languages there are, each by its own name. */
export const LANGUAGES = { en: "English", ru: "Русский" } as const;
export type Language = keyof typeof LANGUAGES;

/** Everything that is ever said, in English. */
export type Message = keyof typeof russian;

/** Of each message what it is in another language. */
export type Catalogue = Readonly<Record<Message, string>>;

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
type Tags<Text extends string> = Text extends `${string}</${infer Name}>${infer Rest}`
  ? Name | Tags<Rest>
  : never;
type PluralName<Text extends string> = Text extends `${string}|${string}` ? "n" : never;

/** What has to be given with a message; of a message that is only known when the program runs, it may be anything. */
type Values<M extends Message> = Message extends M ? [values?: Readonly<Record<string, Value>>]
  : [Names<M> | PluralName<M>] extends [never] ? []
  : [values: Readonly<Record<Names<M> | PluralName<M>, Value>>];
type RichValues<M extends Message, Node> = Readonly<
  & Record<Names<M> | PluralName<M>, Value | Node>
  & Record<Tags<M>, (words: string) => Node>
>;

/** Numbers are written as the language does; what was formatted before is a text. */
export type Value = string | number;

interface Source {
  /** The reader's. */
  readonly language: () => Language;
  /** The reader's: an IANA name, or `UTC`. */
  readonly timeZone: () => string;
  /** Of English null: the messages are their own catalogue. */
  readonly catalogue: (language: Language) => Readonly<Partial<Record<Message, string>>> | null;
}

let source: Source = { language: () => "en", timeZone: () => "UTC", catalogue: () => null };

/** Tells how to know the reader's language, and what there is in it. Once, when a program or a page begins. */
export function setLanguageSource(given: Source): void {
  source = given;
}

/** The language of whoever reads what is written now. */
export function currentLanguage(): Language {
  return source.language();
}

/** The time zone of whoever reads what is written now: an IANA name, or `UTC`. */
export function currentTimeZone(): string {
  return source.timeZone();
}

/** Whether a text names a language that we speak. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** Marks a text as a message that is translated where it is shown: for tables that are made once. */
export function message<M extends Message>(text: M): M {
  return text;
}

/**
 * A message in the reader's language.
 *
 * @param text in English
 * @param values for its places, and `n` where it has plurals
 */
export function t<M extends Message>(text: M, ...[values]: Values<M>): string {
  return fill(wordsOf(text, values ?? {}), values ?? {});
}

/**
 * A message with parts that are more than text, such as links.
 *
 * @param values of `{places}` their values; of `<tags>` functions from the translated words to what is shown
 * @returns texts and parts in the order of the reader's language
 */
export function rich<Node, M extends Message>(
  text: M,
  values: RichValues<M, Node>,
): (string | Node)[] {
  const given: Readonly<Record<string, unknown>> = values;
  return wordsOf(text, given).split(PART).flatMap((part, i): (string | Node)[] => {
    // `split` puts what the pattern caught between the texts: every second one is a part.
    if (i % 2 === 0) return part === "" ? [] : [part];
    const [, name = "", words] = /^[{<]([^}>]+)[}>](?:(.*)<\/[^>]+>)?$/s.exec(part) ?? [];
    const value = given[name];
    if (typeof value === "function") return [value(words ?? "")];
    return [isValue(value) ? write(value) : value as Node];
  });
}

const PART = /(\{\w+\}|<\w+>.*?<\/\w+>)/s;
const CONTEXT = /@@.*$/s;

/** The form of a message that `n` chooses, in the reader's language, with its places still open. */
function wordsOf(text: Message, values: Readonly<Record<string, unknown>>): string {
  const language = source.language();
  const translated = source.catalogue(language)?.[text];
  const words = translated ?? text.replace(CONTEXT, "");
  if (!words.includes("|")) return words;
  const forms = words.split("|");
  const { n } = values;
  return forms[formOf(translated === undefined ? "en" : language, Number(n))] ?? forms[1] ?? words;
}

const ORDER: readonly Intl.LDMLPluralRule[] = ["zero", "one", "two", "few", "many", "other"];
const plurals = new Map<Language, { rules: Intl.PluralRules; order: Intl.LDMLPluralRule[] }>();

/** Which of a message's forms, in the order of ORDER, a number takes. Russian has three, and fractions take its second. */
function formOf(language: Language, n: number): number {
  let known = plurals.get(language);
  if (known === undefined) {
    const rules = new Intl.PluralRules(language);
    const { pluralCategories } = rules.resolvedOptions();
    known = { rules, order: ORDER.filter((category) => pluralCategories.includes(category)) };
    plurals.set(language, known);
  }
  return known.order.indexOf(known.rules.select(n));
}

function fill(words: string, values: Readonly<Record<string, Value>>): string {
  return words.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : write(value);
  });
}

function write(value: Value): string {
  return typeof value === "string" ? value : writeNumber(value, 3);
}

const numbers = new Map<string, Intl.NumberFormat>();

/**
 * A number with its thousands apart, as the reader's language does.
 *
 * @param digits at most so many behind the decimal mark
 */
export function writeNumber(value: number | bigint, digits: number): string {
  const language = source.language();
  const known = numbers.get(`${language} ${digits}`);
  if (known !== undefined) return known.format(value);
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: digits });
  numbers.set(`${language} ${digits}`, format);
  return format.format(value);
}

function isValue(value: unknown): value is Value {
  return typeof value === "string" || typeof value === "number";
}
