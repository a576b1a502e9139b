/** What people look at the shop with. */
export interface Client {
  readonly browser: { readonly name: string; readonly version: string };
  readonly os: { readonly name: string };
  /** Family of the device, as `iPhone`. */
  readonly device: string;
  readonly agent: string;
}

const CLIENTS: readonly [Client, ...Client[]] = [
  {
    browser: { name: "Chrome", version: "141.0.0" },
    os: { name: "Windows" },
    device: "PC",
    agent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  },
  {
    browser: { name: "Mobile Safari", version: "19.0" },
    os: { name: "iOS" },
    device: "iPhone",
    agent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  },
  {
    browser: { name: "Chrome Mobile", version: "141.0.0" },
    os: { name: "Android" },
    device: "Pixel 9",
    agent:
      "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  },
  {
    browser: { name: "Firefox", version: "145.0" },
    os: { name: "Linux" },
    device: "PC",
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  },
];

/** As the shop's delivery network tells it. */
const COUNTRIES = ["DE", "DE", "GB", "BR", "US", "PL", "DE"] as const;

/** What a person looks at the shop with: the same at every visit. */
export function clientOf(person: number): Client {
  return CLIENTS[person % CLIENTS.length] ?? CLIENTS[0];
}

/** Where a person is: two letters. */
export function countryOf(person: number): string {
  return COUNTRIES[person % COUNTRIES.length] ?? COUNTRIES[0];
}
