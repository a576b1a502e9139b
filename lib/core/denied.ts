/** An actor may not do what was asked; turned into a page or an API answer in one place each. */
export class Denied extends Error {
  override name = "Denied";

  constructor(readonly status: 401 | 403 | 404, message: string) {
    super(message);
  }
}
