/** A machine as the Collector's host metrics tell of it. */
import type { Meter } from "./meter.ts";
import type { Moment } from "./moment.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const CORES = 4;
const MEMORY = 16 * GIB;

/** @param daysAgo how long the file system has still had to fill */
export function host(meter: Meter, moment: Moment, daysAgo: number): void {
  const { random, load, minutes, isStarved } = moment;
  const seconds = minutes * 60;
  const user = (0.05 + 0.5 * load) * random.around(1, 0.1);
  const wait = (isStarved ? 0.25 : 0.01) * random.around(1, 0.4);
  const shares = { user, system: 0.3 * user, wait, idle: Math.max(0, 1 - 1.3 * user - wait) };
  for (const [state, share] of Object.entries(shares)) {
    meter.add("system.cpu.time", { state }, share * seconds * CORES);
  }
  meter.set("system.cpu.load_average.1m", {}, (1.3 * user + 2 * wait) * CORES);
  const used = MEMORY * (0.42 + 0.12 * load) * random.around(1, 0.02);
  const cached = MEMORY * 0.28;
  for (const [state, size] of Object.entries({ used, cached, free: MEMORY - used - cached })) {
    meter.set("system.memory.usage", { state }, Math.round(size));
  }
  for (const [direction, perSecond] of [["receive", 1.4], ["transmit", 3.9]] as const) {
    const bytes = perSecond * MIB * (0.05 + load) * seconds * random.around(1, 0.1);
    meter.add("system.network.io", { device: "eth0", direction }, Math.round(bytes));
  }
  for (const [direction, perSecond] of [["read", 0.4], ["write", 1.1]] as const) {
    const bytes = perSecond * MIB * (0.1 + load) * seconds * random.around(1, 0.3);
    meter.add("system.disk.io", { device: "vda", direction }, Math.round(bytes));
  }
  const labels = { device: "/dev/vda1", mountpoint: "/", type: "ext4" };
  meter.set("system.filesystem.utilization", labels, 0.81 - 0.012 * daysAgo);
}
