/** A web port that connects to loopback directly, for tests of code above egress. */
import { failed, ok } from "../../core/base/errors.ts";
import type { WebPort } from "../../core/ports/web.ts";

export function makeDirectWeb(): Pick<WebPort, "open"> {
  return {
    async open({ url, method, headers, secretHeaders = [], body, timeoutMs, signal }) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const sent = [...headers, ...secretHeaders].map(([name, value]): [string, string] => [name, value]);
        const init = { method, headers: sent, body: body === null ? null : new Uint8Array(body), signal: limit };
        const reply = await fetch(url, { ...init, redirect: "manual" });
        const empty = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
        return ok({ status: reply.status, headers: [...reply.headers], body: reply.body ?? empty });
      } catch {
        if (limit.aborted) return failed("timeout", "No reply in time.");
        return failed("upstream_failed", "The connection was lost.");
      }
    },
  };
}
