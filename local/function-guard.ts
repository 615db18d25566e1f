// Loaded into each function's process before the Functions Framework: keeps it on loopback, and ends it with the laptop.
// It must never change what the function does.

import net from "node:net";

// The framework listens on a bare port, which is every address of the machine.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (this: net.Server, port: unknown, ...rest: unknown[]) {
  return Reflect.apply(listen, this, [Number(port), "127.0.0.1", ...rest]);
} as typeof listen;

// The channel closes when the laptop is gone, even by SIGKILL; nobody is left whom a slower end would serve.
process.on("disconnect", () => process.exit(0));
