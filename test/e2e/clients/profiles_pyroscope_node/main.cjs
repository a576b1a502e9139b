// Works under Pyroscope's profilers of time and memory, which push when they stop.
const Pyroscope = require("@pyroscope/nodejs");

Pyroscope.init({
  appName: "shop-api",
  serverAddress: process.env.PUSH_URL,
  authToken: process.env.PUSH_KEY,
  flushIntervalMs: 1_000,
  tags: { env: "production", version: "shop@1.4.2", region: "eu" },
  wall: { collectCpuTime: true },
});

function priceOf(depth) {
  return depth < 2 ? depth : priceOf(depth - 1) + priceOf(depth - 2);
}

async function main() {
  Pyroscope.start();
  for (let round = 0; round < 30; round++) {
    const end = Date.now() + 100;
    while (Date.now() < end) priceOf(20);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Pyroscope.stop();
}

main();
