/** Sends the sidecar's replies. */
import type { ServerResponse } from "node:http";

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Refuses the request before anything was started. */
export function sendTooMany(response: ServerResponse, message: string): void {
  sendJson(response, 503, { code: "rate_limited", message, sent: false });
}
