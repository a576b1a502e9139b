/** Dashboards as JSON, to keep, to share and to bring elsewhere. */
import { z } from "zod";
import { InvalidInput } from "../core/invalid_input.ts";
import type { DashboardContent } from "./content.ts";
import { ContentSchema, contentShape, NameSchema, problemsOf } from "./content_schema.ts";
import { settle } from "./layout.ts";
import { LIMITS } from "./limits.ts";

/** A dashboard apart from where it is kept. */
export interface NamedContent {
  readonly name: string;
  readonly content: DashboardContent;
}

const FORMAT = "watchpost-dashboard";
const VERSION = 1;

export const DocumentSchema = z.strictObject({
  format: z.literal(FORMAT, `is "${FORMAT}": this is another kind of file`),
  version: z.literal(VERSION, `is ${VERSION}: others are not known here`),
  name: NameSchema,
  ...contentShape,
});

/** What `DocumentSchema` lets in. */
export type DashboardDocument = z.infer<typeof DocumentSchema>;

/** The document that an export writes; reading it gives the same dashboard again. */
export function toDocument({ name, content }: NamedContent): DashboardDocument {
  const { description, variables, panels } = ContentSchema.parse(content);
  return { format: FORMAT, version: VERSION, name, description, variables, panels };
}

/** The same as text, to be read by people as well. */
export function writeDocument(dashboard: NamedContent): string {
  return `${JSON.stringify(toDocument(dashboard), null, 2)}\n`;
}

/**
 * Reads an exported dashboard.
 *
 * @throws {InvalidInput} of the field `json` with sentences for everything that is wrong
 */
export function readDocument(text: string): NamedContent {
  return fromDocument(parse(text));
}

/**
 * The same of what is parsed already.
 *
 * @param field that errors belong to
 * @throws {InvalidInput} as `readDocument()`
 */
export function fromDocument(value: unknown, field = "json"): NamedContent {
  const result = DocumentSchema.safeParse(value);
  if (!result.success) throw new InvalidInput(field, problemsOf(result.error).join(" "));
  const { name, description, variables, panels } = result.data;
  return { name, content: checkContent({ description, variables, panels }) };
}

/** Checks a content and puts its panels in order. @throws {InvalidInput} of the field `""` */
export function checkContent(content: DashboardContent): DashboardContent {
  const result = ContentSchema.safeParse(content);
  if (!result.success) throw new InvalidInput("", problemsOf(result.error).join(" "));
  const panels = settle(result.data.panels);
  const rows = Math.max(0, ...panels.map(({ place }) => place.y + place.h));
  if (rows > LIMITS.rows) {
    throw new InvalidInput(
      "",
      `The panels are ${rows} rows high together; ${LIMITS.rows} is the most.`,
    );
  }
  const written = panels.reduce(
    (sum, panel) => sum + (panel.kind === "text" ? panel.markdown.length : 0),
    0,
  );
  if (written > LIMITS.allMarkdown) {
    throw new InvalidInput(
      "",
      `The texts have ${written} characters together; ${LIMITS.allMarkdown} is the most.`,
    );
  }
  return { ...result.data, panels };
}

/** Checks a name. @throws {InvalidInput} of the field `name` */
export function checkDashboardName(name: string): string {
  const result = NameSchema.safeParse(name);
  if (result.success) return result.data;
  throw new InvalidInput("name", `Enter a name of 1 to ${LIMITS.name} characters.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidInput("json", `This is not JSON: ${reason}.`);
  }
}
