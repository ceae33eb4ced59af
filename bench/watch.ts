/** Watchers of a task, as browsers are: streams of server-sent events whose content the bench does not read. */
import { type ClientRequest, request } from "node:http";

/** Opens one stream; resolves with its first bytes. */
function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers: { ...headers, accept: "text/event-stream" } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.once("data", () => resolve(sent)).resume();
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** Opens a number of streams of one address; they end with the task. */
export async function openStreams(
  count: number,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => openStream(url, headers)));
}
