/** Forms as pages have them, with one field that says what no store or calendar takes. */
import assert from "node:assert/strict";
import { everyForm } from "@/test/support/every_form.ts";
import { everyPage } from "@/test/support/every_page.ts";
import { DATES } from "@/test/support/hostile_values.ts";
import { type FormField, type PageForm } from "@/test/support/page_forms.ts";
import { type Acme, acme } from "@/test/support/ui_app.ts";

/** Fields of one kind, as `b.metric` beside `a.metric`. */
const REPEATED = /^(?:[b-z]\.|f(?:[2-9]|10)\b)/;
const NUMBERS = ["-1", "2147483648", "9".repeat(25), "1e308"];
/** What a text stands for, by its name. */
const MEANT: readonly (readonly [name: RegExp, values: readonly string[]])[] = [
  [/schedule|cron/i, ["99 99 * * *", "0 0 31 2 *", "* * * * * * *"]],
  [/zone/i, ["Mars/Olympus", "+99:99"]],
  [/url|address|host|link/i, ["http://[", "http://a:99999/", "javascript:x", "1.2.3.4/99"]],
  [/from|until|start|end$|time|date/i, DATES],
  [/json|body|rules|raw/i, ["[".repeat(30_000), '{"__proto__":{"a":1}}']],
];

Deno.test("whatever a field of a form says, it ends in no error of ours", async (t) => {
  await using app = await acme();
  for (const form of await everyForm(app, await everyPage(app))) {
    const buttons = form.fields.filter(({ type }) => type === "submit");
    await t.step([form.path, ...buttons.map(({ value }) => value)].join(" "), async () => {
      for (const sent of hostileOf(form)) {
        const status = await posted(app, form.path, sent);
        assert.ok(status < 500, `${status} ${form.path} ${JSON.stringify(sent).slice(0, 2_000)}`);
      }
    });
  }
});

/** @returns the status */
async function posted(app: Acme, path: string, sent: [string, string][]): Promise<number> {
  const { status, location } = await app.owner.post(path, sent);
  if (location?.startsWith("/sign-in")) await app.owner.signIn("olga@example.com");
  return status;
}

/** The form with each value in each of its fields. */
function* hostileOf({ fields }: PageForm): Iterable<[string, string][]> {
  const tried = new Set<string>();
  for (const field of fields) {
    if (REPEATED.test(field.name) || tried.has(field.name)) continue;
    tried.add(field.name);
    for (const values of valuesOf(field)) {
      const others = fields.filter(({ name, value }) => name !== field.name && value !== null);
      yield [
        ...others.map(({ name, value }): [string, string] => [name, value ?? ""]),
        ...values.map((value): [string, string] => [field.name, value]),
      ];
    }
  }
}

function valuesOf({ name, type, value }: FormField): string[][] {
  const values = [["a\0b"], [], ["x".repeat(3_000)], ["__proto__", ""]];
  if (type !== "text" && type !== "textarea") {
    const isNumber = type === "number" || type === "hidden" && /^\d+$/.test(value ?? "");
    const others = isNumber ? NUMBERS : type.startsWith("date") ? DATES : [];
    return [...values, ...others.map((value) => [value])];
  }
  const [, meant = NUMBERS] = MEANT.find(([pattern]) => pattern.test(name)) ?? [];
  return [...values, ...meant.map((value) => [value])];
}
