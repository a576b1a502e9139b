import { page } from "fresh";
import { define, type State } from "./define.ts";

/** What a request for a page is answered from. */
export interface Asking {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly params: Record<string, string>;
}

/** The page once more after a form, with some of it changed. */
interface Again<View> {
  readonly changes: Partial<View>;
  /** @default 422 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The handlers of a page with forms: shows it, does what a form asks for, and shows it again with what was wrong.
 *
 * @param show what the page shows before a form was sent. @throws {Denied} for whoever may not see it
 * @param act answers a form that did its work, else tells what the page shows otherwise
 */
export function formHandlers<View extends object>(
  show: (ctx: Asking) => Promise<View>,
  act: (ctx: Asking) => Promise<Response | Again<View>>,
) {
  return define.handlers<View>({
    GET: async (ctx) => page(await show(ctx)),

    async POST(ctx) {
      const result = await act(ctx);
      if (result instanceof Response) return result;
      const { changes, status = 422, headers = {} } = result;
      return page({ ...await show(ctx), ...changes }, { status, headers });
    },
  });
}
