/** Requests of the bench, by connections that stay open: what it spends itself is in every figure. */
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/** Sends one request and gives the text of its reply. Throws unless the status is 2xx. */
export function send(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
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
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(read);
          else reject(new Error(`${method} ${url} answered ${status}: ${read.slice(0, 500)}`));
        });
      },
    );
    sent.once("error", reject);
    sent.end(text);
  });
}
