/** A request that the management API does not take. */
export class ApiError extends Error {
  override name = "ApiError";

  private constructor(
    readonly status: number,
    /** As Sentry's clients read it. */
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(JSON.stringify(body));
  }

  /** An error that is about the request as a whole. */
  static detail(status: number, detail: string): ApiError {
    return new ApiError(status, { detail });
  }

  /** 400 for wrong input, with the problems of each field. */
  static fields(problems: Readonly<Record<string, readonly string[]>>): ApiError {
    return new ApiError(400, problems);
  }
}
