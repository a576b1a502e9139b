import { FLASH_COOKIE, MAX_RECENT, RECENT_COOKIE } from "./shell_cookies.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Puts the project of the page first in the list of those looked at last, which the switcher shows. */
export function rememberProject(): void {
  const project = /^\/projects\/(\d+)(?:\/|$)/.exec(location.pathname)?.[1];
  if (project === undefined) return;
  const before = new RegExp(`(?:^|; )${RECENT_COOKIE}=([\\d.]*)`).exec(document.cookie)?.[1] ?? "";
  const recent = [project, ...before.split(".").filter((id) => id !== "" && id !== project)];
  const value = recent.slice(0, MAX_RECENT).join(".");
  document.cookie = `${RECENT_COOKIE}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}

/** A message that was shown is not shown again. */
export function forgetFlash(): void {
  document.cookie = `${FLASH_COOKIE}=; Path=${location.pathname}; Max-Age=0; SameSite=Lax`;
}
