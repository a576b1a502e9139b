/** What the forms of ownership send. */
import { InvalidInput, storable } from "../../core/errors.ts";
import { AUTO_ASSIGNMENTS, type AutoAssignment } from "./settings.ts";
import { t } from "../../core/language/translate.ts";

/** @throws {InvalidInput} */
export function readAutoAssignment(text: string): AutoAssignment {
  const chosen = AUTO_ASSIGNMENTS.find((each) => each === text);
  if (chosen === undefined) throw new InvalidInput("autoAssignment", t("Choose one of the list."));
  return chosen;
}

/**
 * Names of a CODEOWNERS file and whom they mean, one a line: `@mona mona@example.com`.
 *
 * @throws {InvalidInput} with the line
 */
export function namesOf(text: string): Record<string, string> {
  const names = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === "") continue;
    const [name = "", owner, more] = storable(line).trim().split(/\s+/);
    if (owner === undefined || more !== undefined) {
      throw new InvalidInput(
        "names",
        t("Line {line}: enter a name, a blank, and an email or # and a team.", {
          line: String(index + 1),
        }),
      );
    }
    names.set(name, owner);
  }
  return Object.fromEntries(names);
}

export function namesText(names: Readonly<Record<string, string>>): string {
  return Object.entries(names).map((pair) => pair.join(" ")).join("\n");
}
