/** An isolate whose stores cannot be used. */
import { ConfigError } from "@/lib/core/config.ts";
import { serveBeside } from "@/lib/server/isolates.ts";

// A module that awaits something, as upstream Fresh has one.
await new Promise((resolve) => setTimeout(resolve));
serveBeside(() => Promise.reject(new ConfigError("Cannot start: the settings are wrong")));
