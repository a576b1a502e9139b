import { readUserAgent } from "../formats/sentry/user_agent.ts";

/** The first major version of each browser that still has what the web is written for today. */
const OLDEST: Readonly<Record<string, number>> = {
  "Internet Explorer": Infinity,
  "Edge": 79,
  "Chrome": 63,
  "Chrome Mobile": 63,
  "Firefox": 67,
  "Safari": 12,
  "Mobile Safari": 12,
  "Opera": 51,
};

const OLDEST_ANDROID_BROWSER = /\bAndroid [1-3]\./;
const OPERA_MINI = /\bOpera Mini\//;

/** Whether a `User-Agent` names a browser that is no longer supported by anybody. */
export function isLegacyBrowser(userAgent: string): boolean {
  if (OPERA_MINI.test(userAgent) || OLDEST_ANDROID_BROWSER.test(userAgent)) return true;
  const { browser } = readUserAgent(userAgent);
  const oldest = browser === undefined || !Object.hasOwn(OLDEST, browser.name)
    ? undefined
    : OLDEST[browser.name];
  if (oldest === undefined) return false;
  const major = parseInt(browser?.version ?? "", 10);
  return Number.isNaN(major) ? oldest === Infinity : major < oldest;
}

const EXTENSION_SOURCE =
  /^(?:chrome|moz|ms-browser|safari|safari-web|webkit)-extension:\/\/|^webkit-masked-url:\/\//i;

/** Whether a frame's file belongs to an extension of the browser. */
export function isExtensionSource(path: string): boolean {
  return EXTENSION_SOURCE.test(path);
}

/** What extensions and injected scripts are known to fail with, where no frame tells of them. */
const EXTENSION_MESSAGES = [
  "Extension context invalidated",
  "The message port closed before a response was received",
  "Could not establish connection. Receiving end does not exist",
  "plugin.setSuspendState is not a function",
  "_avast_submit",
  "__gCrWeb",
  "conduitPage",
  "atomicFindClose",
  "canvas.contentDocument",
  "Can't find variable: ZiteReader",
  "top.GLOBALS",
  "originalCreateNotification",
  "fb_xd_fragment",
  "miscellaneous_bindings",
  "jid1-",
];

/** Whether an error's text is one of those that extensions leave behind. */
export function isExtensionMessage(text: string): boolean {
  return EXTENSION_MESSAGES.some((message) => text.includes(message));
}
