/** Restricts a foreign server's listeners to loopback (`node --import`). */
import { Server } from "node:net";

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(...given) {
  const [port, ...rest] = given;
  const callback = rest.find((one) => typeof one === "function");
  return listen.call(this, Number(port), "127.0.0.1", callback);
};
