/** A thread that sends a scenario's requests until its parent stops it, then posts the count of replies by status. */
import { parentPort, workerData } from "node:worker_threads";
import { type NoiseRequest, type NoisyTenant, scenarioNamed } from "./scenarios.ts";

/** The input of the thread. */
export interface NoiseOrder {
  readonly scenario: string;
  readonly noisy: NoisyTenant;
}

/** Count of replies by status. 0 means a failed connection, -1 a hang-up by the client. */
export type NoiseTally = Readonly<Record<number, number>>;

const TIMEOUT_MS = 30_000;
/** Pause after a refused request, of a client that ignores Retry-After. */
const REFUSED_PAUSE_MS = 20;

const { scenario: name, noisy } = workerData as NoiseOrder;
const scenario = scenarioNamed(name);
const tally: Record<number, number> = {};
const stop = new AbortController();
let sent = 0;

parentPort?.once("message", () => stop.abort());
await Promise.all(Array.from({ length: scenario.width }, sendAll));
parentPort?.postMessage(tally satisfies NoiseTally);

async function sendAll(): Promise<void> {
  while (!stop.signal.aborted) {
    const status = await sendOne(scenario.request(noisy, sent++));
    tally[status] = (tally[status] ?? 0) + 1;
    if (status <= 0 || status === 429) await new Promise((resolve) => setTimeout(resolve, REFUSED_PAUSE_MS));
  }
}

async function sendOne({ method = "GET", path, body, headers = {}, key = noisy.key, listenMs }: NoiseRequest) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const hangUp = new AbortController();
  const stopped = listenMs === undefined ? [] : [stop.signal];
  let status = 0;
  try {
    const response = await fetch(`${noisy.url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      signal: AbortSignal.any([timeout, hangUp.signal, ...stopped]),
      ...(body === undefined ? {} : { body }),
    });
    ({ status } = response);
    // Measure from the reply: a paced request is answered late, and the client must see its status.
    if (listenMs !== undefined) setTimeout(() => hangUp.abort(), listenMs);
    await response.arrayBuffer();
  } catch {
    if (!hangUp.signal.aborted) status = timeout.aborted || stop.signal.aborted ? -1 : 0;
  }
  return status;
}
