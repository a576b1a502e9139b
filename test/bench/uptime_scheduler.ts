/**
 * What a thousand monitors, each checked once a minute, cost beside the checks themselves: claiming, judging, storing.
 * On the embedded Postgres its engine counts as well; with `TEST_DATABASE_URL` the server's work does not.
 *
 *   deno run -A test/bench/uptime_scheduler.ts
 */
import { uptimeWorld } from "../support/uptime_world.ts";
import { cpuSeconds } from "./process_stats.ts";

const MONITORS = 1_000;
const MINUTE_SEC = 60;
const ALLOWED_SHARE = 0.05;

await using world = await uptimeWorld();
const { monitorId } = await world.monitor();
await world.sql`
  insert into uptime_monitors (
    project_id, monitor_id, name, kind, target, host, interval_sec, failure_threshold,
    recovery_threshold, certificate_days, windows, channel_ids, created_at, updated_at, updated_by,
    due_at, since
  )
  select project_id, gen_random_uuid(), name, kind, target, place || '.example.com', interval_sec,
    failure_threshold, recovery_threshold, certificate_days, windows, channel_ids, created_at,
    updated_at, updated_by, due_at, since
  from uptime_monitors, generate_series(2, ${MONITORS}) as place where monitor_id = ${monitorId}
`;
// The first checks come all at once; from then on they are spread.
await world.jump(0);
const before = { checks: world.probed.length, cpu: cpuSeconds(Deno.pid) };
await world.go(MINUTE_SEC);
const checks = world.probed.length - before.checks;
const share = (cpuSeconds(Deno.pid) - before.cpu) / MINUTE_SEC;
console.log(`${checks} checks in a minute: ${(share * 100).toFixed(1)} % of a core`);
if (share > ALLOWED_SHARE) Deno.exit(1);
Deno.exit(0);
