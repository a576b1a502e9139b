import { RE2JS, RE2JSSyntaxException } from "re2js";
import { InvalidInput } from "../../core/invalid_input.ts";
import type { Frame } from "./stack_profile.ts";

/** Says of a function whether it is meant. */
export type FrameMatcher = (frame: Frame) => boolean;

const MAX_LENGTH = 1_000;
/** Instructions: repetitions make much of little text, and time grows with them. */
const MAX_PROGRAM = 1_000;
/** Of a name or a path; what follows is not looked at. */
const MAX_TEXT = 2_000;
/** Of one filter on all functions of a graph: an expression may take a millisecond a name, of 100,000 of them. */
const MAX_MATCHING_MS = 1_000;

/**
 * A filter of functions as a user wrote it: a regular expression that is found in the name, the source file or the
 * module. By RE2's rules, whose time grows with the text only, since anybody may write one.
 *
 * @param maxMs how long all its answers together may take
 * @returns or a sentence that says what is wrong with it; it throws {InvalidInput} when it has taken too long
 */
export function frameMatcher(text: string, maxMs = MAX_MATCHING_MS): FrameMatcher | string {
  if (text.length > MAX_LENGTH) {
    return `The regular expression has ${text.length} characters; ${MAX_LENGTH} are allowed.`;
  }
  try {
    const pattern = RE2JS.compile(text);
    if (pattern.programSize() > MAX_PROGRAM) {
      return "The regular expression repeats too much.";
    }
    const isIn = (text: string) => text !== "" && pattern.test(text.slice(0, MAX_TEXT));
    let spentMs = 0;
    return ({ name, file, module }) => {
      const began = performance.now();
      const isMeant = isIn(name) || isIn(file) || isIn(module);
      spentMs += performance.now() - began;
      if (spentMs <= maxMs) return isMeant;
      throw new InvalidInput(
        "",
        "The regular expression takes too long on so many functions: write a simpler one.",
      );
    };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `The regular expression cannot be read: ${error.message.replace(/^.*?: /, "")}.`;
  }
}
