/** All that the management API answers about a project, to be compared with what another instance answers. */
import { API_ROUTES } from "@/lib/server/api_table.ts";

/** Who is asked. */
export interface Asked {
  readonly url: string;
  readonly token: string;
}

type Parameters = Readonly<Record<string, string>>;

/** Where ids come from: the parameter, the list it is in, and the field of its rows. The first few of each are asked for. */
const LISTS: readonly (readonly [parameter: string, path: string, field: string])[] = [
  ["issue", "/projects/:organization/:project/issues/", "id"],
  ["event", "/issues/:issue/events/", "eventID"],
  ["attachment", "/projects/:organization/:project/events/:event/attachments/", "id"],
  ["version", "/organizations/:organization/releases/", "version"],
  ["profile", "/projects/:organization/:project/profiles/", "id"],
  ["trace", "/projects/:organization/:project/traces/", "traceId"],
  ["alert", "/projects/:organization/:project/alerts/", "id"],
  ["channel", "/projects/:organization/:project/channels/", "id"],
  ["dashboard", "/projects/:organization/:project/dashboards/", "id"],
  ["monitor", "/organizations/:organization/monitors/", "slug"],
  ["uptime", "/projects/:organization/:project/uptime/", "id"],
  ["team", "/organizations/:organization/teams/", "slug"],
  ["member", "/organizations/:organization/members/", "id"],
  ["keyId", "/projects/:organization/:project/keys/", "id"],
];
const ROWS_OF_A_LIST = 3;
/** Fewer are no walk: lists were empty. */
const FEWEST = 100;

/**
 * All addresses that a GET may be sent to about a project and what is in it.
 *
 * @param about `organization` and `project`, by their slugs
 */
export async function addressesOf(asked: Asked, about: Parameters): Promise<string[]> {
  let known: Parameters[] = [{ ...about, tag: "environment" }];
  for (const [parameter, path, field] of LISTS) {
    const found: Parameters[] = [];
    // A list that many combinations have in common is asked for once: the rest would multiply.
    const seen = new Set<string>();
    for (const parameters of known) {
      const address = filled(path, parameters);
      if (address === null || seen.has(address)) continue;
      seen.add(address);
      const rows = rowsOf((await answerOf(asked, address)).body);
      for (const row of rows.slice(0, ROWS_OF_A_LIST)) {
        if (typeof row[field] === "string") found.push({ ...parameters, [parameter]: row[field] });
      }
    }
    known = [{ ...known[0], ...found[0] }, ...found.slice(1), ...known.slice(1)];
  }
  const paths = Object.entries(API_ROUTES).filter(([, methods]) => "GET" in methods)
    .map(([path]) => path.replace("/keys/:key", "/keys/:keyId"));
  const addresses = known.flatMap((parameters) => paths.map((path) => filled(path, parameters)));
  return [...new Set(addresses.filter((address) => address !== null))].sort();
}

/** Without what tells of the whole organization, whose other projects may change, and whose audit log notes who asks. */
export function ofProject(addresses: readonly string[]): string[] {
  const own = addresses.filter((each) =>
    !/^\/organizations\/[^/]+\/(?:[^/]+|audit-logs\/export)\/$/.test(each)
  );
  if (own.length < FEWEST) throw new Error(`only ${own.length} addresses`);
  return own;
}

/**
 * From when until when an answer tells: as of the moment at which it was asked for. And what the clocks of each instance
 * find out in their own time: how far alerts are looked at, how often a metric comes.
 */
const MOMENTS =
  /"(?:start|end)":(?:"[^"]*"|[\d.]+)|"dateEvaluated":[^,}]*|"interval":[^,]*(?=,"firstSeen")/g;

/** What an address answers: status and text, without the address of who was asked, and the moment. */
export async function answerOf(
  { url, token }: Asked,
  address: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${url}/api/0${address}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body = new TextDecoder("latin1").decode(await response.bytes());
  const { host } = new URL(url);
  return { status: response.status, body: body.replaceAll(host, "HOST").replace(MOMENTS, "") };
}

/** Where two instances answer differently. Both are asked once more there: a minute may have ended in between. */
export async function differences(one: Asked, other: Asked, addresses: readonly string[]) {
  const differing = async (address: string) => {
    const [expected, found] = [await answerOf(one, address), await answerOf(other, address)];
    if (expected.status === found.status && expected.body === found.body) return [];
    const about = [expected, found].map(({ body }) => around(body, expected.body, found.body));
    return [`${address}: ${expected.status} ${about[0]} / ${found.status} ${about[1]}`];
  };
  const found: string[] = [];
  for (const address of addresses) {
    if ((await differing(address)).length > 0) found.push(...await differing(address));
  }
  return found;
}

/** A piece of a text, where two of them begin to differ. */
function around(text: string, one: string, other: string): string {
  const at = [...one].findIndex((character, index) => character !== other[index]);
  return text.slice(Math.max(0, at - 100), Math.max(0, at) + 100);
}

function filled(path: string, parameters: Parameters): string | null {
  const address = path.replace(
    /:(\w+)/g,
    (whole, name: string) =>
      parameters[name] === undefined ? whole : encodeURIComponent(parameters[name]),
  );
  return address.includes(":") ? null : `${address.replace(/\/$/, "")}/`;
}

/** Of a list, which may be wrapped in an object. */
function rowsOf(body: string): Record<string, unknown>[] {
  const value: unknown = parsed(body);
  if (Array.isArray(value)) return value;
  const inner = typeof value === "object" && value !== null ? Object.values(value) : [];
  return inner.find(Array.isArray) ?? [];
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
