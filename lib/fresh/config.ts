/** Options of `new App()`. */
export interface FreshConfig {
  /** @default "production" */
  mode?: "development" | "production";
  /**
   * Take the protocol and host of `ctx.url` from `x-forwarded-proto` and `x-forwarded-host`.
   *
   * @default false
   */
  trustProxy?: boolean;
}

/** The options in force, with the folder of the project. */
export interface ResolvedFreshConfig extends Required<FreshConfig> {
  root: string;
  /** Always empty: mounting under a path is left to the reverse proxy. */
  basePath: string;
}
