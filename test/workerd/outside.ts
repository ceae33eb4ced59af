/** The outside service that tests send effects to: addresses of their own on the recorder, and what arrived there. */
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";

/** A call of `http_request` that needs an approval by default, and that the ledger can neither repeat nor look up. */
export function post(url: string, body = "hello") {
  return { name: "http_request", arguments: { url, method: "POST", body } };
}

/** An address of the recorder that nothing else uses. */
export function somewhere(): string {
  return `${inject("servers").recorderUrl}/${crypto.randomUUID()}`;
}

/** What arrived at an address, in order: method and body. */
export async function arrivedAt(url: string): Promise<string[]> {
  return (await recordsOf(url)).map(({ method, body }) => `${method} ${body}`);
}

/** The requests that arrived at an address, in order. */
export async function recordsOf(url: string): Promise<Recorded[]> {
  const records = await (await fetch(`${inject("servers").recorderUrl}/records`)).json<Recorded[]>();
  return records.filter(({ path }) => path === new URL(url).pathname);
}

/** Lets the outside service answer GETs of an address with this text. */
export async function serve(url: string, text: string): Promise<void> {
  await fetch(url, { method: "PUT", body: text });
}

interface Recorded {
  readonly path: string;
  readonly method: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lets the next `count` requests go out and loses their answers: they happened, and nobody knows. */
export function loseAnswers(count: number): void {
  const real = globalThis.fetch.bind(globalThis);
  let left = count;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await real(input, init);
    if (url !== `${env.SIDECAR_URL}/egress` || left === 0) return response;
    left -= 1;
    await response.body?.cancel();
    throw new TypeError("the connection was lost");
  });
}
