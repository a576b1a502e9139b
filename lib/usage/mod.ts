/** What other rooms may use of usage. */
export {
  type Accepted,
  acceptedOf,
  type KeyUsage,
  keyUsage,
  type TooLarge,
  type Usage,
  usageOf,
} from "./counts.ts";
export {
  listRefused,
  openRefusals,
  type Refusals,
  type RefusedRequest,
} from "./refused_requests.ts";
