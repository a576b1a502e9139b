/** What a browser can tell of any page. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { PASSWORD } from "./people.ts";

/** A desk and a phone. */
export const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];

/** Signs the owner of Acme in. */
export async function signIn(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.fill("[name=email]", "olga@example.com");
  await page.fill("[name=password]", PASSWORD);
  await page.click("main button");
  await page.waitForURL("**/projects");
}

/** Names what reaches beyond the right edge of the window and is not cut off or scrolled by what it lies in. */
const STICKING_OUT = `(() => {
  const isCut = (element) => {
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (box !== document.body && getComputedStyle(box).overflowX !== "visible") return true;
    }
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !isCut(element))
    .slice(-3)
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
})()`;

/** Serious findings of axe, and whatever sticks out of the window. */
export async function faultsOf(page: Page): Promise<string[]> {
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  const sticking = await page.evaluate<string[]>(STICKING_OUT);
  await page.evaluate(`${axe.source};0`);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  if (Number(overflow) <= 0) return serious;
  return [...serious, `sticks out by ${overflow} px: ${sticking.join(" | ")}`];
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Errors of scripts and refusals of the Content Security Policy, collected from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A 404 page is asked for on purpose; a refused style or script is a complaint.
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
