/** Every form of every page, as somebody is shown them. */
import type { PagePath } from "./every_page.ts";
import { knownAddresses } from "./known_addresses.ts";
import { formsOf, type PageForm } from "./page_forms.ts";
import type { Acme } from "./ui_app.ts";

/** Buttons that show the same form with more fields. */
const SHOWS_MORE = /^(?:query|formula)$/;
/** Forms that take away what others are about come last. */
const TAKES_AWAY = /delete|remove|leave|revoke|sign-?out|sessions|\bend\b/i;

/** Each form once, of whichever page; buttons that add and remove fields are of one form. @param app its owner looks */
export async function everyForm(
  app: Acme,
  pages: readonly PagePath[],
): Promise<PageForm[]> {
  const forms = new Map<string, PageForm>();
  for (const [pathname, addresses] of await knownAddresses(app, pages)) {
    for (const [search, { html }] of addresses) {
      for (const form of formsOf(html, `${pathname}?${search}`)) {
        const shape = shapeOf(form);
        const isShown = form.fields.some(({ name, value }) =>
          name === "action" && SHOWS_MORE.test(value ?? "")
        );
        if (!isShown && !forms.has(shape)) forms.set(shape, form);
      }
    }
  }
  const isLast = (form: PageForm) => TAKES_AWAY.test(JSON.stringify(form)) ? 1 : 0;
  return [...forms.values()].sort((a, b) => isLast(a) - isLast(b));
}

/** Alike for forms that ask for the same at one address. */
export function shapeOf({ path, fields }: PageForm): string {
  const names = fields.map(({ name, type, value }) =>
    name === "action" ? `${name}=${value}` : type === "submit" ? "" : name
  );
  return [path.split("?")[0], ...new Set(names.sort())].join(" ");
}
