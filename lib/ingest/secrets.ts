/** What stands where a secret was. Sentry's word, which its users search for. */
export const FILTERED = "[Filtered]";

/**
 * Names of secrets, compared in lower case without punctuation, so that `X-Api-Key`, `apiKey` and
 * `api_key` are one. `token` only at the end: `max_tokens` is a number that people want to see.
 */
const SECRET_NAME = new RegExp(
  [
    "passw",
    "passphrase",
    "passcode",
    "^pass$",
    "(user|db|my)pass$",
    "^pwd|pwd$",
    "secret",
    "credential",
    "(api|access|private|signing|encryption|license)key",
    "authorization",
    "^auth$",
    "token$",
    "bearer",
    "jwt",
    "session(id|key|data)?$",
    "sessid",
    "^(connect)?sid$",
    "cookie",
    "[cx]srf",
    "creditcard",
    "cardnumber",
    "^cv[vc]2?$",
    "^ssn$",
  ].join("|"),
);

/** Part of every secret name, however it is spelled: a quick look that settles most names and texts. */
const NAME_HINT =
  /pass|pwd|secret|credential|key|auth|token|bearer|jwt|ses|sid|cookie|srf|card|cv|ssn/i;

/** The same few hundred names come in every event; clients choose them, so the memory has an end. */
const MAX_REMEMBERED_NAMES = 10_000;
const remembered = new Map<string, boolean>();

/** Whether a value called `name` is to be hidden, whatever it is. */
export function isSecretName(name: string): boolean {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const isSecret = NAME_HINT.test(name) && SECRET_NAME.test(plainName(name));
  if (remembered.size < MAX_REMEMBERED_NAMES) remembered.set(name, isSecret);
  return isSecret;
}

/** A name as names are compared: `X-Api-Key`, `apiKey` and `api_key` are one. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Which names are secrets, where a project has its own. */
export interface NameRules {
  isSecret(name: string): boolean;
  /** The name of a secret that is not among the well-known ones may be in any text. */
  readonly hasOwnNames: boolean;
}

export const WELL_KNOWN_NAMES: NameRules = { isSecret: isSecretName, hasOwnNames: false };

/**
 * Rules with names of a project beside the well-known ones.
 *
 * @param extra names that are secrets as well
 * @param safe names that are none, whatever they look like
 */
export function nameRules(extra: readonly string[], safe: readonly string[]): NameRules {
  if (extra.length + safe.length === 0) return WELL_KNOWN_NAMES;
  const secret = new Set(extra.map(plainName));
  const harmless = new Set(safe.map(plainName));
  return {
    isSecret(name) {
      const plain = plainName(name);
      if (harmless.has(plain)) return false;
      return secret.has(plain) || isSecretName(name);
    },
    hasOwnNames: true,
  };
}

// Every repeat is bounded or of one class of characters, and no two neighbours match the same character: the time
// stays linear, and texts of many megabytes do not fill the stack.
const URL_PASSWORD = /(:\/\/[^\s/?#:@]{0,200}:)[^\s/?#@]{1,500}@/g;
const ASSIGNMENT =
  /(^|[?&;,\s(])([\w.[\]%-]{1,64})(?:( ?= ?)(?:'[^']{1,500}'|"[^"]{1,500}")|=[^&;,\s"'<>#]+)/g;
/** A name in quotes with its value, or with the quote that its value begins with. */
const QUOTED_ENTRY = /(["'])([\w.-]{1,64})\1(\s{0,4}:\s{0,4})(["']|[^\s,}\]"']+)/g;
const LINE_END = /[\n\r\u2028\u2029]/;
const AUTHORIZATION = /\b(Bearer|Basic) +[\w.~+/=-]{6}[\w.~+/=-]*/gi;
const PRIVATE_KEY =
  /-----BEGIN ([A-Z ]{0,40})PRIVATE KEY-----[^]*?(?:-----END \1PRIVATE KEY-----|$)/g;
const CARD = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;

const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g;
const IBAN_HINT = /[A-Z]{2}\d\d/;

/** What every text with something to hide contains. One look at most texts is enough. */
const SUSPECT = /[=:]|\d{4}|PRIVATE|earer |asic |[A-Z]{2}\d\d/;
const FOUR_DIGITS = /\d{4}/;

/**
 * Hides what is secret by its looks: passwords in addresses, `name=value` and `"name": value` of secret
 * names, authorization values, private keys, card numbers and bank accounts.
 *
 * @returns `text` itself when there is nothing to hide
 */
export function hideSecrets(text: string, names: NameRules = WELL_KNOWN_NAMES): string {
  if (!SUSPECT.test(text)) return text;
  const mayRepeat = names === WELL_KNOWN_NAMES && text.length <= MAX_REPEATED_LENGTH;
  if (!mayRepeat) return hidden(text, names);
  if (clean.has(text) || cleanBefore.has(text)) return text;
  const result = hidden(text, names);
  if (result === text) noteClean(text);
  return result;
}

/** Addresses, headers and names of versions come again and again. */
const MAX_REPEATED_LENGTH = 200;
const MAX_CLEAN = 2_000;
/** Texts in which nothing was found lately. The older half goes when the newer is full. */
let clean = new Set<string>();
let cleanBefore = new Set<string>();

function noteClean(text: string): void {
  if (clean.size === MAX_CLEAN) {
    cleanBefore = clean;
    clean = new Set();
  }
  clean.add(text);
}

function hidden(text: string, names: NameRules): string {
  if (text.includes("@")) text = text.replaceAll(URL_PASSWORD, `$1${FILTERED}@`);
  if (names.hasOwnNames || NAME_HINT.test(text)) {
    if (text.includes("=")) text = text.replaceAll(ASSIGNMENT, assignmentHider(names));
    if (text.includes(":")) text = hideEntries(text, names);
  }
  if (text.includes("PRIVATE")) text = text.replaceAll(PRIVATE_KEY, FILTERED);
  if (text.includes("earer ") || text.includes("asic ")) {
    text = text.replaceAll(AUTHORIZATION, `$1 ${FILTERED}`);
  }
  if (FOUR_DIGITS.test(text)) text = text.replaceAll(CARD, hideCard);
  if (IBAN_HINT.test(text)) text = text.replaceAll(IBAN, hideIban);
  return text;
}

function assignmentHider({ isSecret }: NameRules) {
  return (whole: string, before: string, name: string, equals = "="): string =>
    isSecret(name) ? `${before}${name}${equals}${FILTERED}` : whole;
}

/** Hides the values of secret names. What stands in quotes is passed over whole, whatever it is called. */
function hideEntries(text: string, { isSecret }: NameRules): string {
  let hidden = "";
  let copied = 0;
  QUOTED_ENTRY.lastIndex = 0;
  for (let match = QUOTED_ENTRY.exec(text); match !== null; match = QUOTED_ENTRY.exec(text)) {
    const [, quote = "", name = "", colon = "", value = ""] = match;
    const isQuoted = value === '"' || value === "'";
    const end = isQuoted
      ? endOfQuoted(text, QUOTED_ENTRY.lastIndex, value)
      : QUOTED_ENTRY.lastIndex;
    QUOTED_ENTRY.lastIndex = end;
    if (!isSecret(name) || value === "null" || value === "None") continue;
    const valueQuote = isQuoted ? value : '"';
    hidden += text.slice(copied, match.index) +
      `${quote}${name}${quote}${colon}${valueQuote}${FILTERED}${valueQuote}`;
    copied = end;
  }
  return hidden + text.slice(copied);
}

/** Where a text in quotes ends, with the quote behind it: at the first that no backslash is before. */
function endOfQuoted(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === quote) return at + 1;
    if (character !== "\\") continue;
    at++;
    if (at === text.length || LINE_END.test(text.charAt(at))) return at - 1;
  }
  return text.length;
}

/** A run of capitals after an account number may look like a part of it: the longest valid start counts. */
function hideIban(candidate: string): string {
  const digits = candidate.replaceAll(" ", "");
  const length = IBAN_LENGTHS[digits.slice(0, 2)];
  if (length === undefined || digits.length < length) return candidate;
  if (!isIban(digits.slice(0, length))) return candidate;
  let taken = 0;
  let end = 0;
  while (taken < length) if (candidate[end++] !== " ") taken++;
  return FILTERED + candidate.slice(end);
}

/** Characters of an account number by country (ISO 13616). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  ("AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 " +
    "ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 " +
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 " +
    "QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20")
    .split(" ").map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Whether the check digits are right: the number with its first four characters last, letters as 10 to 35, is 1 mod 97. */
export function isIban(text: string): boolean {
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

function hideCard(candidate: string): string {
  return isCardNumber(candidate.replaceAll(/[ -]/g, "")) ? FILTERED : candidate;
}

/**
 * Whether `digits` has the first digits and length of a card brand and a valid check digit (Luhn). The
 * brands keep times in milliseconds and most ids out of it.
 */
export function isCardNumber(digits: string): boolean {
  return CARD_BRANDS.test(digits) && hasLuhnDigit(digits);
}

const CARD_BRANDS = new RegExp(
  `^(?:${
    [
      "4\\d{12}(?:\\d{3}){0,2}", // Visa
      "5[1-5]\\d{14}|2(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}", // Mastercard
      "3[47]\\d{13}", // American Express
      "6(?:011|5\\d\\d|4[4-9]\\d)\\d{12}", // Discover
      "3(?:0[0-5]|[68]\\d)\\d{11}", // Diners Club
      "35(?:2[89]|[3-8]\\d)\\d{12}", // JCB
      "62\\d{14,17}", // UnionPay
      "220[0-4]\\d{12,15}", // Mir
    ].join("|")
  })$`,
);

function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
