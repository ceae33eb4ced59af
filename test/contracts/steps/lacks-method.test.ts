/** What workerd says when an entry point lacks a method: the release before versions has no phases of the present names. */
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { expect, test } from "vitest";
import { lacksMethod } from "../../../core/steps/rpc.ts";

const SCRIPT = `
import { WorkerEntrypoint } from "cloudflare:workers";
export class Runner extends WorkerEntrypoint {
  async breaks() { throw new TypeError("another error"); }
}
export default {
  async fetch(request, env) {
    const method = new URL(request.url).pathname.slice(1);
    const message = await env.RUNNER[method]().then(() => null, (thrown) => thrown.message);
    return Response.json({ message });
  },
};`;

test("is distinguished from every other error", async () => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      workers: [
        {
          name: "otto",
          modules: [{ type: "ESModule", path: "index.js", contents: SCRIPT }],
          compatibilityDate: "2026-11-17",
          serviceBindings: { RUNNER: { name: "otto", entrypoint: "Runner" } },
        },
      ],
    }),
  );
  try {
    const errorOf = async (method: string): Promise<Error> => {
      const response = await miniflare.dispatchFetch(`http://localhost/${method}`);
      return new Error(((await response.json()) as { message: string }).message);
    };
    expect(lacksMethod(await errorOf("runModelPhase"))).toBe(true);
    expect(lacksMethod(await errorOf("breaks"))).toBe(false);
  } finally {
    await miniflare.dispose();
  }
});
