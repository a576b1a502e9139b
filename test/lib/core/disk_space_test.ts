import assert from "node:assert/strict";
import { diskSpace } from "@/lib/core/disk_space.ts";
import { silentLogger } from "../../support/silent_logger.ts";

const MB = 1_000_000;

/** A disk to fill, and a clock to turn. */
function disk(totalMb: number) {
  const state = { freeMb: totalMb, now: 0, looks: 0 };
  const space = diskSpace(
    () => {
      state.looks++;
      return { freeBytes: state.freeMb * MB, totalBytes: totalMb * MB };
    },
    silentLogger,
    () => state.now,
  );
  const isLow = (freeMb: number) => {
    state.freeMb = freeMb;
    state.now += 1_000;
    return space.isLow();
  };
  return { state, space, isLow };
}

Deno.test("a disk is low below a twentieth of it, but at least 32 MB and at most 256 MB", () => {
  for (const [totalMb, reserveMb] of [[200, 32], [2_000, 100], [100_000, 256]] as const) {
    const { isLow } = disk(totalMb);
    assert.deepEqual([isLow(reserveMb), isLow(reserveMb - 1)], [false, true], `${totalMb} MB`);
  }
});

Deno.test("a disk that was low has room again when a fifth more than the reserve is free", () => {
  const { isLow } = disk(2_000);
  assert.deepEqual([99, 101, 119, 120, 101].map(isLow), [true, true, true, false, false]);
});

Deno.test("a disk is full when KV might not be able to write", () => {
  const { state, space } = disk(200);
  state.freeMb = 4;
  assert.equal(space.isFull(), true);
  state.now = 1_000;
  state.freeMb = 6;
  assert.equal(space.isFull(), false);
});

Deno.test("the file system is asked ten times a second at most", () => {
  const { state, space } = disk(200);
  for (state.now = 0; state.now < 1_000; state.now += 10) space.isLow();
  assert.equal(state.looks, 10);
});

Deno.test("a file system that tells nothing has room", () => {
  const space = diskSpace(() => null, silentLogger);
  assert.deepEqual([space.isLow(), space.isFull()], [false, false]);
});
