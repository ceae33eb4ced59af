/** Requests of the bench, by connections that stay open: what it spends itself is in every figure. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/** A request that Otto could not serve is sent again, as it says: a busy machine shows in the times and ends no run. */
const TRIES = 5;
const TRY_AGAIN_MS = 100;

/** Sends one request and gives the text of its reply. Throws unless the status is 2xx. */
export async function send(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await sendOnce(method, url, body, headers);
    if (status >= 200 && status < 300) return text;
    if (status !== 503 || tries === TRIES)
      throw new Error(`${method} ${url} answered ${status}: ${text.slice(0, 500)}`);
    console.log(`! ${method} ${url} answered 503 and is sent again`);
    await sleep(TRY_AGAIN_MS);
  }
}

function sendOnce(
  method: string,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request(
      url,
      {
        agent,
        method,
        headers: {
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (response) => {
        let read = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          read += piece;
        });
        response.once("error", reject);
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 0, text: read });
        });
      },
    );
    sent.once("error", reject);
    sent.end(text);
  });
}
