/**
 * Runs inside the cage: `node forward.ts <socket> -- <program> …`. Programs know proxies by host and port, so it listens on the
 * cage's loopback, forwards every connection to the socket of the proxy outside, and exits as the program does.
 */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { constants } from "node:os";

const NOT_FOUND = 127;
const BY_SIGNAL = 128;

const [socket = "", , program = "", ...args] = process.argv.slice(2);

const server = createServer((near) => {
  const far = connect(socket);
  near.pipe(far).pipe(near);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  const env = Object.fromEntries(names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy]));
  const child = spawn(program, args, {
    // The last one delivers the program's environment (CONTROL_FD in command.ts).
    stdio: ["inherit", "inherit", "inherit", "ignore", "ignore", 5],
    env: { ...process.env, ...env, NODE_USE_ENV_PROXY: "1" },
  });
  closeSync(5);
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(NOT_FOUND);
  });
  child.on("exit", (code, signal) => {
    // Die of the program's signal, so that this process's parent sees it.
    if (signal === "SIGKILL" || signal === "SIGTERM") process.kill(process.pid, signal);
    else process.exit(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
  });
});
