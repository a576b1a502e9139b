import { parseEnvelope } from "@/lib/formats/sentry/envelope.ts";

/** One captured request of a stock SDK, see test/fixtures/sentry/README.md. */
export interface Fixture {
  /** As `node-11.12.0`. */
  readonly sdk: string;
  /** As `error`, `message`, `unhandled`. */
  readonly scenario: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The event in it, parsed and otherwise as sent. */
  readonly event: Record<string, unknown>;
}

const FOLDER = new URL("../../../fixtures/sentry/", import.meta.url);
const SUFFIX = ".envelope";

/** All captured requests, in order of SDK and scenario. */
export function readFixtures(): Fixture[] {
  return folderNames().flatMap((sdk) =>
    [...Deno.readDirSync(new URL(`${sdk}/`, FOLDER))]
      .map(({ name }) => name)
      .filter((name) => name.endsWith(SUFFIX))
      .sort()
      .map((name) => readFixture(sdk, name.slice(0, -SUFFIX.length)))
  );
}

/** One captured request. */
export function readFixture(sdk: string, scenario: string): Fixture {
  const bytes = Deno.readFileSync(new URL(`${sdk}/${scenario}${SUFFIX}`, FOLDER));
  const item = parseEnvelope(bytes).items.find(({ type }) => type === "event");
  return { sdk, scenario, bytes, event: JSON.parse(new TextDecoder().decode(item?.payload)) };
}

function folderNames(): string[] {
  return [...Deno.readDirSync(FOLDER)]
    .filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name)
    .sort();
}
