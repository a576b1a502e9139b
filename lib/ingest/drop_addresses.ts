import { type JsonObject } from "../formats/json.ts";
import type { NormalizedEvent } from "../formats/sentry/normalized_event.ts";
import { plainName } from "./secrets.ts";

/** Headers, variables and attributes that hold the address of a person. */
const ADDRESS_FIELDS = new Set([
  "cfconnectingip",
  "clientaddress",
  "clientip",
  "fastlyclientip",
  "forwarded",
  "httpclientip",
  "httpforwarded",
  "httpxforwardedfor",
  "httpxrealip",
  "netpeerip",
  "netsockpeeraddr",
  "networkpeeraddress",
  "remoteaddr",
  "trueclientip",
  "useripaddress",
  "xclientip",
  "xforwardedfor",
  "xrealip",
]);

/** Takes the addresses of people out of an event, in place. */
export function dropAddresses(event: NormalizedEvent): void {
  const { user, request } = event;
  if (user !== undefined) {
    delete user.ip_address;
    delete user.geo;
    if (Object.keys(user).length === 0) delete event.user;
  }
  if (request?.headers !== undefined) {
    request.headers = request.headers.filter(([name]) => !ADDRESS_FIELDS.has(plainName(name)));
  }
  if (request?.env !== undefined) dropAddressFields(request.env);
  const trace = event.contexts?.trace;
  const data = trace?.data;
  if (typeof data === "object" && data !== null && !Array.isArray(data)) dropAddressFields(data);
}

/** The same for free-form attributes. */
export function dropAddressFields(object: JsonObject): void {
  for (const name of Object.keys(object)) {
    if (ADDRESS_FIELDS.has(plainName(name))) delete object[name];
  }
}
