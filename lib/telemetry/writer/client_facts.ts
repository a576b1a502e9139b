import type { Series } from "../stats/series.ts";

/** What vitals are told apart by; `""` where the client does not say. */
type Client = Pick<Series, "browser" | "device" | "country">;

const MAX_LENGTH = 60;

/** Browser, kind of device and country out of attributes or tags, as Sentry's SDKs and OpenTelemetry name them. */
export function clientOf(data: Readonly<Record<string, unknown>>): Client {
  const first = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = data[name];
      if (typeof value === "string" && value !== "") return value.slice(0, MAX_LENGTH);
    }
    return "";
  };
  const agent = first("user_agent.original");
  return {
    browser: first("browser.name", "sentry.browser.name") || browserOf(agent),
    device: deviceOf(data["browser.mobile"], first("device.class", "device.family"), agent),
    country: first("user.geo.country_code", "geo.country_code", "client.geo.country.iso_code"),
  };
}

/** Names as people know them; the order matters, since most agents claim to be others too. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\//, "HeadlessChrome"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

function browserOf(agent: string): string {
  return BROWSERS.find(([mark]) => mark.test(agent))?.[1] ?? "";
}

function deviceOf(isMobile: unknown, named: string, agent: string): string {
  if (isMobile === true || /\b(?:Mobile|iPhone|Android)\b/.test(agent)) return "mobile";
  if (isMobile === false || agent !== "") return "desktop";
  if (named === "") return "";
  return /phone|pad|pixel|galaxy|android|mobile/i.test(named) ? "mobile" : "desktop";
}
