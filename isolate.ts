/** The entry of an isolate beside the first one, which `start.ts` starts as many of as `SERVICE_ISOLATES` says. */
import { serveBeside } from "./lib/server/isolates.ts";

serveBeside(async () => {
  const { services } = await import("./main.ts");
  // A computed address, because the file exists only after a build.
  const built = await import(new URL("_fresh/server.js", import.meta.url).href);
  return { services, handler: built.default.fetch };
});
