import type { DashboardContent, Variable } from "../content.ts";
import {
  checkContent,
  checkDashboardName,
  type NamedContent,
} from "../document.ts";
import { LIMITS } from "../limits.ts";
import { InvalidInput } from "../../core/invalid_input.ts";
import { fieldOf } from "../../ui/form.ts";

/** What the settings form says, as it is to be shown again. */
export interface EnteredSettings {
  readonly name: string;
  readonly description: string;
  readonly variables: readonly Variable[];
}

/** Reads the settings form; variables without a label are none. */
export function readSettings(form: URLSearchParams): EnteredSettings {
  const variables = Array.from({ length: LIMITS.variables }, (_, index) => ({
    label: fieldOf(form, `label${index}`),
    value: fieldOf(form, `value${index}`),
  })).filter(({ label }) => label !== "");
  return { name: fieldOf(form, "name"), description: fieldOf(form, "description"), variables };
}

/** The dashboard with its new settings. @throws {InvalidInput} naming the field */
export function withSettings(entered: EnteredSettings, content: DashboardContent): NamedContent {
  const { description, variables } = entered;
  if (description.length > LIMITS.description) {
    throw new InvalidInput(
      "description",
      `Descriptions have at most ${LIMITS.description} characters.`,
    );
  }
  const again = variables.findIndex(({ label }, index) =>
    variables.slice(0, index).some((earlier) => earlier.label === label)
  );
  if (again !== -1) {
    throw new InvalidInput(`label${again}`, "There is a variable of this label already.");
  }
  return {
    name: checkDashboardName(entered.name),
    content: checkContent({ ...content, description, variables }),
  };
}
