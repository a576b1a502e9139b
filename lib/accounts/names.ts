import { InvalidInput } from "../core/invalid_input.ts";

const MAX_NAME_LENGTH = 64;
const MAX_EMAIL_LENGTH = 254;

/**
 * Checks a name that somebody gave to a person, an organization, a project or a key.
 *
 * @param field the form field it came from
 * @returns the name without outer and repeated blanks, 1 to 64 characters
 * @throws {InvalidInput}
 */
export function checkName(field: string, text: string): string {
  const name = text.normalize("NFC").replace(/\s+/gu, " ").trim();
  if (name === "") throw new InvalidInput(field, "Enter a name.");
  if ([...name].length > MAX_NAME_LENGTH) {
    throw new InvalidInput(field, `Enter a name of at most ${MAX_NAME_LENGTH} characters.`);
  }
  // Control and direction characters could make one name look like another; NUL breaks other stores.
  if (/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw new InvalidInput(field, "Enter a name without control characters.");
  }
  return name;
}

/**
 * The one spelling under which a mail address is kept and looked up.
 *
 * @returns lower-case address without outer blanks, or null when the text is no address
 */
export function normalizeEmail(text: string): string | null {
  const email = text.normalize("NFC").trim().toLowerCase();
  if (email.length > MAX_EMAIL_LENGTH) return null;
  return /^[^\s@<>(),;:"\\\p{Cc}\p{Cs}]+@[^\s@<>(),;"\\\p{Cc}\p{Cs}]+$/u.test(email) ? email : null;
}

/**
 * Like `normalizeEmail`, for what somebody entered in a form.
 *
 * @throws {InvalidInput}
 */
export function checkEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === null) {
    throw new InvalidInput("email", "Enter a mail address, such as ann@example.com.");
  }
  return email;
}
