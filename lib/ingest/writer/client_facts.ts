import type { Series } from "../../store/stats/series.ts";

/** What vitals are told apart by; `""` where the client does not say. */
type Client = Pick<Series, "browser" | "device" | "country">;

const MAX_NAME = 60;
/** Longer headers are not read to the end. */
const MAX_AGENT = 512;

/** Browser, kind of device and country out of attributes or tags, as Sentry's SDKs and OpenTelemetry name them. */
export function clientOf(data: Readonly<Record<string, unknown>>): Client {
  const first = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = data[name];
      if (typeof value === "string" && value !== "") return value;
    }
    return "";
  };
  const agent = first("user_agent.original").slice(0, MAX_AGENT);
  return {
    browser: first("browser.name", "sentry.browser.name").slice(0, MAX_NAME) || browserOf(agent),
    device: deviceOf(data["browser.mobile"], agent) ||
      deviceClass(first("device.class", "device.family", "device", "device.model")) ||
      systemClass(first("client_os.name", "os.name")),
    country: first("user.geo.country_code", "geo.country_code", "client.geo.country.iso_code")
      .slice(0, MAX_NAME),
  };
}

/** Names as people know them; the order matters, since most agents claim to be others too. */
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

function browserOf(agent: string): string {
  return BROWSERS.find(([mark]) => mark.test(agent))?.[1] ?? "";
}

function deviceOf(isMobile: unknown, agent: string): string {
  if (isMobile === true || /\b(?:Mobile|iPhone|Android)\b/.test(agent)) return "mobile";
  return isMobile === false || agent !== "" ? "desktop" : "";
}

function deviceClass(named: string): string {
  if (/phone|pad|pixel|galaxy|android|mobile/i.test(named)) return "mobile";
  return /desktop|mac|^pc$/i.test(named) ? "desktop" : "";
}

/** People browse on phones with the one, and on computers with the other. */
function systemClass(system: string): string {
  if (/^(?:iOS|iPadOS|Android)$/i.test(system)) return "mobile";
  return /^(?:Windows|macOS|Mac OS X|Linux|Ubuntu|Chrome OS)$/i.test(system) ? "desktop" : "";
}
