import { define } from "./define.ts";

/**
 * One line a request: method, path, status and milliseconds. The query is left out because SDKs put
 * their key there.
 */
export const requestLog = define.middleware(async (ctx) => {
  const start = performance.now();
  const response = await ctx.next();
  ctx.state.services.log.info("request", {
    method: ctx.req.method,
    path: ctx.url.pathname,
    status: response.status,
    ms: Math.round((performance.now() - start) * 100) / 100,
    id: ctx.state.requestId,
  });
  return response;
});
