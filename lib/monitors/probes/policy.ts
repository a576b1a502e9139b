/** Which hosts a check may reach. A check is a request of a tenant's from our machine, answered with status, time and text: without a rule, a scanner of our network. */

/** Plain data, so that it can be handed to a Worker. */
export interface AddressPolicy {
  /** What the operator lets in beyond the public internet (`SERVICE_MONITOR_ALLOW`). */
  readonly allowed: readonly AllowedTarget[];
  /** Where our own stores are: never checked unless named in `allowed` by host. */
  readonly stores: readonly HostAndPort[];
}

export interface HostAndPort {
  /** As `URL.hostname` has it, without brackets. */
  readonly host: string;
  readonly port: number;
}

export type AllowedTarget =
  | { readonly network: string }
  | { readonly host: string; readonly port: number | null };
