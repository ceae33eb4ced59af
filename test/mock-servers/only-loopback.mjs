/** Loaded before a foreign server (`node --import`): whatever it listens on, it listens on loopback only. */
import { Server } from "node:net";

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(...given) {
  const [port, ...rest] = given;
  const callback = rest.find((one) => typeof one === "function");
  return listen.call(this, Number(port), "127.0.0.1", callback);
};
