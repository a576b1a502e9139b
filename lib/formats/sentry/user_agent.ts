/** What a `User-Agent` header tells. */
export interface UserAgent {
  readonly browser?: Product;
  readonly os?: Product;
  /** As `iPhone`, `Pixel 8`. */
  readonly device?: string;
}

export interface Product {
  readonly name: string;
  readonly version?: string;
}

/** Browsers first that also claim to be one of the later ones. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/([\d.]{1,20})/],
  ["Opera", /\b(?:OPR|Opera)[/ ]([\d.]{1,20})/],
  ["Samsung Internet", /\bSamsungBrowser\/([\d.]{1,20})/],
  ["Yandex Browser", /\bYaBrowser\/([\d.]{1,20})/],
  ["Firefox iOS", /\bFxiOS\/([\d.]{1,20})/],
  ["Firefox", /\bFirefox\/([\d.]{1,20})/],
  ["Chrome Mobile iOS", /\bCriOS\/([\d.]{1,20})/],
  ["Headless Chrome", /\bHeadlessChrome\/([\d.]{1,20})/],
  ["Chrome Mobile", /\bChrome\/([\d.]{1,20}) Mobile\b/],
  ["Chrome", /\bChrom(?:e|ium)\/([\d.]{1,20})/],
  ["Mobile Safari", /\bVersion\/([\d.]{1,20}) Mobile\/\w{1,20} Safari\b/],
  ["Safari", /\bVersion\/([\d.]{1,20}) Safari\b/],
  ["Internet Explorer", /\b(?:MSIE |Trident\/.{1,40}rv:)([\d.]{1,20})/],
  ["Googlebot", /\bGooglebot\/([\d.]{1,20})/],
  ["curl", /^curl\/([\d.]{1,20})/],
];

const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Windows", /\bWindows (?:NT )?([\d.]{1,10})/],
  ["iOS", /\b(?:iPhone|iPad|iPod).{0,20}? OS ([\d_]{1,12})/],
  ["macOS", /\bMac OS X ([\d_.]{1,12})/],
  ["Android", /\bAndroid ([\d.]{1,10})/],
  ["Chrome OS", /\bCrOS \w{1,20} ([\d.]{1,20})/],
  ["Linux", /\bLinux\b()/],
];

const DEVICES = [
  /\b(iPhone|iPad|iPod)\b/,
  /\bAndroid [\d.]{1,10}; ([^;)]{1,60}?)(?: Build\b|[;)])/,
];

/** The kernel's version numbers are not what people know Windows by; 10 and 11 tell browsers the same. */
const WINDOWS: ReadonlyMap<string, string> = new Map([
  ["10.0", ">=10"],
  ["6.3", "8.1"],
  ["6.2", "8"],
  ["6.1", "7"],
]);

/** Longer headers are not read to the end. */
const MAX_LENGTH = 512;

/** The parts of a `User-Agent` header that can be told; a rough reading that covers the browsers of the day. */
export function readUserAgent(header: string): UserAgent {
  const text = header.slice(0, MAX_LENGTH);
  const browser = firstMatch(text, BROWSERS);
  const os = firstMatch(text, SYSTEMS);
  const device = DEVICES.map((pattern) => pattern.exec(text)?.[1]).find((name) => name);
  return { ...(browser && { browser }), ...(os && { os }), ...(device && { device }) };
}

function firstMatch(
  text: string,
  table: readonly (readonly [name: string, pattern: RegExp])[],
): Product | undefined {
  for (const [name, pattern] of table) {
    const match = pattern.exec(text);
    if (!match) continue;
    const version = match[1]?.replaceAll("_", ".");
    if (!version) return { name };
    return { name, version: name === "Windows" ? WINDOWS.get(version) ?? version : version };
  }
  return undefined;
}
