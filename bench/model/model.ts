/** The bench's hold on its model, which runs in a process of its own so that its time is nobody else's. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Ask, Counted, Reply, Seen } from "./records.ts";

const TIMEOUT_MS = 120_000;

export interface BenchModel {
  /** A base URL (`…/v1`). */
  readonly url: string;
  /** `host:port` of the service that `http_request` calls. */
  readonly toolHost: string;
  /** Waits until so many replies of a kind were given since the last `take`. */
  until(what: Counted, count: number): Promise<void>;
  /** Everything since the last `take`. */
  take(): Promise<Seen>;
  close(): void;
}

/** Starts it. */
export async function startModel(): Promise<BenchModel> {
  const child = fork(fileURLToPath(new URL("./serve.ts", import.meta.url)), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const pending = new Map<number, (reply: Reply) => void>();
  let last = 0;
  const reply = (id: number, what: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the model did not see ${what} in time`)), TIMEOUT_MS);
      pending.set(id, (value) => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(value);
      });
    });
  child.on("message", (value: Reply) => pending.get(value.id)?.(value));
  const started = await reply(0, "its start");
  if (!("url" in started)) throw new Error("the model did not say where it listens");

  const ask = (message: DistributiveOmit<Ask, "id">, what: string): Promise<Reply> => {
    last += 1;
    const answered = reply(last, what);
    child.send({ ...message, id: last });
    return answered;
  };
  return {
    url: started.url,
    toolHost: started.toolHost,
    async until(what, count) {
      await ask({ type: "until", what, count }, `${count} ${what}`);
    },
    async take() {
      const taken = await ask({ type: "take" }, "a look");
      if (!("seen" in taken) || taken.seen === null) throw new Error("the model reported nothing");
      return taken.seen;
    },
    close() {
      child.kill();
    },
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
