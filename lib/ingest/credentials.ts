/** Who a request says it is. */
export interface Credentials {
  readonly publicKey: string;
  /** `name/version` of the client, as in `sentry.javascript.node/11.12.0`, or null. */
  readonly client: string | null;
}
