/** What a browser calls itself, cut to names that people know. */
import Bowser from "bowser";
import { t } from "../core/language/translate.ts";

/** Such as "Firefox 128 on Windows"; words for what tells nothing. @param userAgent as the browser sent it */
export function deviceName(userAgent: string | null | undefined): string {
  if (!userAgent) return t("Unknown device");
  const { browser, os } = Bowser.parse(userAgent);
  const version = browser.version?.split(".")[0];
  const name = [browser.name, version].filter(Boolean).join(" ");
  if (name === "") return t("Unknown device");
  return os.name ? t("{browser} on {system}", { browser: name, system: os.name }) : name;
}
