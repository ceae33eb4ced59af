/**
 * The entry point of HTTP on one machine: workerd passes every request as it came. Miniflare's own entry point
 * answers 500 to an invalid address, and lets a client's `MF-*` header fields replace the address. The cloud does not
 * use it.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Failure } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { readAddress } from "../../core/web/own-hosts.ts";
import type { App } from "./context.ts";
import { problemResponse } from "./problem.ts";

const NO_ADDRESS: Failure = {
  code: "invalid_input",
  message: "The request has no valid address. Send one Host header field that names a host, and a path.",
  field: "host",
};

/** Creates the class that a socket of the runtime is bound to. */
export function createLocalEntry(app: App) {
  return class LocalEntry extends WorkerEntrypoint<Env> {
    override async fetch(request: Request): Promise<Response> {
      const address = readAddress({
        target: request.url,
        host: request.headers.get("host"),
        forwardedProto: request.headers.get("x-forwarded-proto"),
      });
      if (address !== null) return await app.fetch(toAddressed(address, request), this.env, this.ctx);
      const id = makeId("request", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
      return problemResponse(NO_ADDRESS, id, { status: 400, headers: { "x-request-id": id } });
    }
  };
}

/**
 * Returns the request with its full address. Does not copy `cf`: a client sets it by a header field, and reading it
 * may throw.
 */
function toAddressed(address: string, { method, headers, body, signal }: Request): Request {
  // The body of such a request has no meaning (RFC 9110, 9.3.1), and `Request` refuses it.
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(address, { method, headers, signal, ...(hasBody ? { body } : {}) });
}
