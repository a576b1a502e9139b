import { InvalidInput } from "../core/invalid_input.ts";

export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 200;

const MIN_DIFFERENT_CHARACTERS = 5;

/** What people start from; with digits and marks around it, it is still the first thing to be tried. */
const COMMON_WORDS = new Set(
  `password passwort passwd passphrase secret letmein welcome changeme changeit default administrator
  admin root superuser user guest test testing temp login access master qwerty qwertz azerty iloveyou
  trustno monkey dragon shadow sunshine princess football baseball basketball superman batman michael
  jennifer jordan charlie starwars whatever freedom computer internet server database monitoring
  sentry watchpost company mypassword newpassword yourpassword thepassword passwordpassword hello
  helloworld summer winter spring autumn january february october november december monday friday`
    .split(/\s+/),
);

/** Runs along the alphabet, the digits and the keyboard, both ways. */
const RUNS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "zaq12wsxcde34rfvbgt5",
].flatMap((run) => [run, [...run].reverse().join("")]);

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  "$": "s",
  "5": "s",
  "7": "t",
};

/**
 * Checks a new password: 10 to 200 characters, not the person's mail, nothing that is tried first.
 * No rules about kinds of characters: they make passwords worse (NIST SP 800-63B, 5.1.1.2).
 *
 * @param password as entered
 * @param email the normalised address of its owner
 * @throws {InvalidInput} with a sentence that says what to do
 */
export function checkPassword(password: string, email: string): void {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) {
    throw refusal(`Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  if (length > MAX_PASSWORD_LENGTH) {
    throw refusal(`Choose a password of at most ${MAX_PASSWORD_LENGTH} characters.`);
  }
  const plain = password.normalize("NFKC").toLowerCase().trim();
  if (isMadeOfMail(plain, email)) {
    throw refusal("Choose a password that is not made of your mail address.");
  }
  if (isCommon(plain)) {
    throw refusal(
      "Choose a password that is harder to guess, such as four or five unrelated words.",
    );
  }
}

function refusal(message: string): InvalidInput {
  return new InvalidInput("password", message);
}

function isMadeOfMail(plain: string, email: string): boolean {
  const [mailbox = ""] = email.split("@");
  if (plain.includes(email)) return true;
  return mailbox.length >= 3 && lettersOf(plain) === lettersOf(mailbox);
}

function isCommon(plain: string): boolean {
  if (new Set(plain).size < MIN_DIFFERENT_CHARACTERS || isRepetition(plain)) return true;
  if (RUNS.some((run) => run.includes(plain) || run.includes(plain.replace(/\d+$/, "")))) {
    return true;
  }
  // Digits at the end are a year or a count; in the middle they often stand for letters.
  const stem = plain.replace(/[^\p{L}]+$/u, "");
  return [plain, spelledOut(plain), spelledOut(stem)]
    .some((text) => COMMON_WORDS.has(lettersOf(text)));
}

function spelledOut(text: string): string {
  return text.replace(/[@431!0$57]/g, (mark) => LOOK_ALIKES[mark] ?? mark);
}

/** `abcabcabcabc`, `xyzzyxyzzy`: a text found inside its own double is a repetition. */
function isRepetition(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}]/gu, "");
}
