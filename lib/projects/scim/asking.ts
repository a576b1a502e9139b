/** What a request of a directory is answered from. */
import type { Organization } from "../../accounts/organizations.ts";
import type { ScimSetup } from "../../accounts/scim_token.ts";
import type { Backend } from "../../store/stores.ts";

/** A request of a directory that may ask. */
export interface ScimAsking extends Pick<Backend, "kv" | "sql"> {
  readonly req: Request;
  readonly search: URLSearchParams;
  readonly organization: Organization;
  readonly setup: ScimSetup;
  /** Address of this organization's SCIM. */
  readonly base: string;
}
