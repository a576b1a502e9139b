/** An isolate that ends by an error that nobody caught. */
self.addEventListener("message", () => {
  throw new Error("Out of luck");
});
self.postMessage({ kind: "ready" });
