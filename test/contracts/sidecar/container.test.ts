/** The object's side of a container, with the platform's side played by hand. */
import { describe, expect, it, vi } from "vitest";
import { type ContainerHandle, openContainer } from "../../../adapters/sidecar/container.ts";

const SECRET = "s".repeat(32);

/** A platform whose container answers after `looks` looks at its health, with what `reply` gives. */
function platform({ looks = 0, refusedStarts = 0, isolation = "", reply = () => new Response("from inside") } = {}) {
  const seen = { starts: [] as unknown[], destroyed: 0, timeoutsMs: [] as unknown[], requests: [] as string[] };
  let left = looks;
  const handle = {
    running: false as boolean,
    start(options: unknown) {
      handle.running = seen.starts.length >= refusedStarts;
      left = looks;
      seen.starts.push(options);
    },
    async destroy() {
      handle.running = false;
      seen.destroyed += 1;
    },
    async setInactivityTimeout(ms: number) {
      seen.timeoutsMs.push(ms);
    },
    getTcpPort: (port: number) => ({
      async fetch(request: Request | string) {
        if (!handle.running) throw new Error("the container is not running");
        if (typeof request === "string") {
          left -= 1;
          if (left >= 0) throw new Error("the container is not listening");
          return Response.json({ ok: true });
        }
        seen.requests.push(`${port} ${request.method} ${new URL(request.url).pathname}`);
        return reply();
      },
    }),
  } satisfies ContainerHandle;
  const paused: number[] = [];
  const pause = async (ms: number) => {
    paused.push(ms);
  };
  return { container: openContainer(handle, { secret: SECRET, isolation }, pause), handle, seen, paused };
}

const order = () => new Request("http://sidecar/egress", { method: "POST", body: "x" });

describe("the sidecar's container", () => {
  it("is started by the first request, which waits until it answers, and is stopped when idle", async () => {
    const { container, seen, paused } = platform({ looks: 3 });
    expect(container.isAsleep).toBe(true);
    const response = await container.fetch(order());
    expect(await response.text()).toBe("from inside");
    expect(container.isAsleep).toBe(false);
    expect(seen.starts).toEqual([
      { enableInternet: true, env: { SIDECAR_SECRET: SECRET, HOST: "0.0.0.0", PORT: "8788" } },
    ]);
    expect(seen.timeoutsMs).toEqual([600_000]);
    expect(seen.requests).toEqual(["8788 POST /egress"]);
    expect(paused).toHaveLength(3);
  });

  it("gets the operator's choice of cage", async () => {
    const { container, seen } = platform({ isolation: "container" });
    await container.fetch(order());
    expect(seen.starts).toMatchObject([{ env: { OTTO_SCRIPT_ISOLATION: "container" } }]);
  });

  it("is started once for requests that come together, and not again while it runs", async () => {
    const { container, seen } = platform({ looks: 2 });
    await Promise.all([container.fetch(order()), container.fetch(order())]);
    await container.fetch(order());
    expect(seen.starts).toHaveLength(1);
    expect(seen.timeoutsMs).toHaveLength(1);
    expect(seen.requests).toHaveLength(3);
  });

  it("is started again when the platform had no capacity at first", async () => {
    const { container, seen } = platform({ refusedStarts: 2 });
    expect(await (await container.fetch(order())).text()).toBe("from inside");
    expect(seen.starts).toHaveLength(3);
  });

  it("is started again after it was stopped", async () => {
    const { container, handle, seen } = platform({ looks: 1 });
    await container.fetch(order());
    handle.running = false;
    expect(container.isAsleep).toBe(true);
    await container.fetch(order());
    expect(seen.starts).toHaveLength(2);
  });

  it("sends nothing to one that never answers", async () => {
    const { container, seen } = platform({ looks: Number.POSITIVE_INFINITY });
    const response = await container.fetch(order());
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ sent: false })]);
    expect(seen.requests).toEqual([]);
  });

  const refusing = (code: string) => () => Response.json({ code, message: "No." }, { status: 401 });

  it("is stopped, once, when it ran before and knows another secret; the next request starts it with this one", async () => {
    const { container, handle, seen } = platform({ reply: refusing("wrong_secret") });
    handle.running = true;
    const answers = await Promise.all([container.fetch(order()), container.fetch(order())]);
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([401, { code: "wrong_secret", message: "No." }]);
    expect(seen).toMatchObject({ destroyed: 1, starts: [] });
    expect(container.isAsleep).toBe(true);
    await container.fetch(order());
    expect(seen).toMatchObject({ destroyed: 1, starts: [expect.anything()] });
  });

  it("is not started before the one that it replaces has ended", async () => {
    const { container, handle, seen } = platform({ reply: refusing("wrong_secret") });
    handle.running = true;
    const ended = Promise.withResolvers<void>();
    handle.destroy = async () => {
      await ended.promise;
      handle.running = false;
    };
    const first = container.fetch(order());
    await vi.waitFor(() => expect(seen.requests).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = container.fetch(order());
    ended.resolve();
    await Promise.all([first, second]);
    expect(seen.starts).toHaveLength(1);
    expect(handle.running).toBe(true);
  });

  it("stays for all when it refuses one order, and when an order was signed with another secret than it was started with", async () => {
    for (const code of ["unauthenticated", "wrong_secret"]) {
      const { container, handle, seen } = platform({ reply: refusing(code) });
      handle.running = code === "unauthenticated";
      expect((await container.fetch(order())).status).toBe(401);
      expect(seen.destroyed).toBe(0);
      expect(container.isAsleep).toBe(false);
    }
  });

  it("is refused, and not called asleep, by a Worker that was deployed without it", async () => {
    const container = openContainer(undefined, { secret: SECRET, isolation: "" }, async () => undefined);
    expect(container.isAsleep).toBe(false);
    expect((await container.fetch(order())).status).toBe(503);
  });
});
