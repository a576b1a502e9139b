/** As a connection of this machine is told of. */
export const LOCAL_PEER: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 0 },
  completed: Promise.resolve(),
};
