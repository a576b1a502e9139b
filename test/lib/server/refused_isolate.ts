/** An isolate whose stores cannot be used. */
import { ConfigError } from "@/lib/core/config.ts";
import { serveBeside } from "@/lib/server/isolates.ts";

serveBeside(() => Promise.reject(new ConfigError("Cannot start: the settings are wrong")));
