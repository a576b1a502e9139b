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
  const isSecret = NAME_HINT.test(name) &&
    SECRET_NAME.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
  if (remembered.size < MAX_REMEMBERED_NAMES) remembered.set(name, isSecret);
  return isSecret;
}

// Every repeat is bounded, and no two neighbours match the same character: the time stays linear.
const URL_PASSWORD = /(:\/\/[^\s/?#:@]{0,200}:)[^\s/?#@]{1,500}@/g;
const ASSIGNMENT = /(^|[?&;,\s])([\w.[\]%-]{1,64})=([^&;,\s"'<>#]+)/g;
const QUOTED_ENTRY =
  /(["'])([\w.-]{1,64})\1(\s{0,4}:\s{0,4})("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s,}\]"']+)/g;
const AUTHORIZATION = /\b(Bearer|Basic) +[\w.~+/=-]{6,}/gi;
const PRIVATE_KEY =
  /-----BEGIN ([A-Z ]{0,40})PRIVATE KEY-----[^]*?(?:-----END \1PRIVATE KEY-----|$)/g;
const CARD = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g;

/** What every text with something to hide contains. One look at most texts is enough. */
const SUSPECT = /[=:]|\d{4}|PRIVATE|earer |asic /;
const FOUR_DIGITS = /\d{4}/;

/**
 * Hides what is secret by its looks: passwords in addresses, `name=value` and `"name": value` of secret
 * names, authorization values, private keys and card numbers.
 *
 * @returns `text` itself when there is nothing to hide
 */
export function hideSecrets(text: string): string {
  if (!SUSPECT.test(text)) return text;
  if (text.includes("@")) text = text.replaceAll(URL_PASSWORD, `$1${FILTERED}@`);
  if (NAME_HINT.test(text)) {
    if (text.includes("=")) text = text.replaceAll(ASSIGNMENT, hideAssigned);
    if (text.includes(":")) text = text.replaceAll(QUOTED_ENTRY, hideEntry);
  }
  if (text.includes("PRIVATE")) text = text.replaceAll(PRIVATE_KEY, FILTERED);
  if (text.includes("earer ") || text.includes("asic ")) {
    text = text.replaceAll(AUTHORIZATION, `$1 ${FILTERED}`);
  }
  if (FOUR_DIGITS.test(text)) text = text.replaceAll(CARD, hideCard);
  return text;
}

function hideAssigned(whole: string, before: string, name: string): string {
  return isSecretName(name) ? `${before}${name}=${FILTERED}` : whole;
}

function hideEntry(
  whole: string,
  quote: string,
  name: string,
  colon: string,
  value: string,
): string {
  if (!isSecretName(name) || value === "null" || value === "None") return whole;
  const valueQuote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : '"';
  return `${quote}${name}${quote}${colon}${valueQuote}${FILTERED}${valueQuote}`;
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
