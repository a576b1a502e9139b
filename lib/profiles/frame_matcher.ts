import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { Frame } from "./stack_profile.ts";

/** Says of a function whether it is meant. */
export type FrameMatcher = (frame: Frame) => boolean;

const MAX_LENGTH = 1_000;
/** Instructions: repetitions make much of little text, and time grows with them. */
const MAX_PROGRAM = 1_000;
/** Of a name or a path; what follows is not looked at. */
const MAX_TEXT = 2_000;

/**
 * A filter of functions as a user wrote it: a regular expression that is found in the name, the source file or the
 * module. By RE2's rules, whose time grows with the text only, since anybody may write one.
 *
 * @returns or a sentence that says what is wrong with it
 */
export function frameMatcher(text: string): FrameMatcher | string {
  if (text.length > MAX_LENGTH) {
    return `The regular expression has ${text.length} characters; ${MAX_LENGTH} are allowed.`;
  }
  try {
    const pattern = RE2JS.compile(text);
    if (pattern.programSize() > MAX_PROGRAM) {
      return "The regular expression repeats too much.";
    }
    const isIn = (text: string) => text !== "" && pattern.test(text.slice(0, MAX_TEXT));
    return ({ name, file, module }) => isIn(name) || isIn(file) || isIn(module);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `The regular expression cannot be read: ${error.message.replace(/^.*?: /, "")}.`;
  }
}
