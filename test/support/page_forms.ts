/** The forms of a page, out of its HTML. */

export interface FormField {
  readonly name: string;
  /** As an `<input>` has it, or the name of another element. */
  readonly type: string;
  /** As a browser would send it; null: not at all. */
  readonly value: string | null;
  /** What a person can make of it without script: of what they write themselves, nothing. */
  readonly choices: readonly string[];
}

export interface PageForm {
  /** Where it is sent to. */
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** What somebody writes into an empty field. */
const WRITTEN: Readonly<Record<string, string>> = {
  email: "ann@example.com",
  url: "https://example.com/a",
  number: "2",
  date: "2026-11-20",
  "datetime-local": "2026-11-20T10:00",
  time: "10:00",
};

/** All forms that are posted, once for each of their buttons, filled in as far as their fields say how. */
export function formsOf(html: string, path: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(
    ([, head = "", inner = ""]) => {
      const form = attributesOf(head);
      if (form.method?.toLowerCase() !== "post") return [];
      const fields = fieldsOf(inner + (form.id === undefined ? "" : outside(html, form.id)));
      const buttons = fields.filter(({ type }) => type === "submit");
      const rest = fields.filter(({ type }) => type !== "submit");
      const sent = buttons.length === 0 ? [rest] : buttons.map((button) => [...rest, button]);
      return sent.map((fields) => ({ path: form.action || path, fields }));
    },
  );
}

/** What a browser sends of a form. @param without the field of this name */
export function sentBy({ fields }: PageForm, without = ""): [name: string, value: string][] {
  return fields.flatMap(({ name, value }): [string, string][] =>
    value === null || name === without ? [] : [[name, value]]
  );
}

/** Elements that belong to a form that they do not stand in. */
function outside(html: string, id: string): string {
  const elements = /<(input|select|textarea|button)\b([^>]*)>(?:.*?<\/\1>)?/gs;
  return [...html.matchAll(elements)].filter(([, , head = ""]) => attributesOf(head).form === id)
    .map(([whole]) => whole).join("");
}

function fieldsOf(html: string): FormField[] {
  const elements = /<(input|button)\b([^>]*)>|<(select|textarea)\b([^>]*)>(.*?)<\/\3>/gs;
  return [...html.matchAll(elements)].flatMap(
    ([, single, head, double, doubleHead, inner = ""]) => {
      const attributes = attributesOf(head ?? doubleHead ?? "");
      const { name, value = "", placeholder = "" } = attributes;
      if (name === undefined || attributes.disabled !== undefined) return [];
      if (double === "select") return [{ name, type: double, ...optionsOf(inner) }];
      if (double === "textarea") {
        const value = textOf(inner) || placeholder || "text";
        return [{ name, type: double, value, choices: [] }];
      }
      const { type = single === "button" ? "submit" : "text" } = attributes;
      const choices = [value];
      if (type === "submit" || type === "hidden") return [{ name, type, value, choices }];
      if (type === "checkbox" || type === "radio") {
        const sent = attributes.checked === undefined ? null : value || "on";
        return [{ name, type, value: sent, choices }];
      }
      const written = value || placeholder || (WRITTEN[type] ?? "text");
      return [{ name, type, value: written, choices: [] }];
    },
  );
}

function optionsOf(options: string): Pick<FormField, "value" | "choices"> {
  const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, head = ""]) =>
    attributesOf(head)
  );
  const chosen = all.find(({ selected }) => selected !== undefined) ?? all[0];
  return { value: chosen?.value ?? null, choices: all.map(({ value = "" }) => value) };
}

function attributesOf(head: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    [...head.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) =>
      [name, textOf(value)] as const
    ),
  );
}

function textOf(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
