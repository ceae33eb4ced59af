import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { tasksFromEnv, type TaskStub } from "../../adapters/from-env.ts";
import { type WatchedTask, watchTask } from "../../workers/watch-task.ts";
import { makeCaller } from "./front-door.ts";

/** What a bad line does to the frames of one connection: gives those that arrive, or null to break off. */
type Mischief = (frame: string, index: number) => readonly string[] | null;

/** A task's object behind a bad line. */
function behindBadLine(open: () => TaskStub, mischief: Mischief): () => WatchedTask {
  return () => ({
    events: async (after, limit) => await open().events(after, limit),
    async fetch(url, init) {
      const answer = await open().fetch(url, init);
      const far = answer.webSocket;
      if (far === null) return answer;
      const { 0: client, 1: near } = new WebSocketPair();
      near.accept();
      let index = 0;
      far.addEventListener("message", ({ data }) => {
        const arriving = mischief(String(data), index);
        index += 1;
        for (const frame of arriving ?? []) near.send(frame);
        if (arriving === null) near.close(1011, "broken");
      });
      near.addEventListener("close", () => far.close(1000, "done"));
      far.accept();
      return new Response(null, { status: 101, webSocket: client });
    },
  });
}

describe("a watcher yields every event once and in order", () => {
  test.each<[string, Mischief]>([
    ["when frames are lost", (frame, index) => (index % 3 === 1 ? [] : [frame])],
    ["when all frames but the last few are lost", (frame) => (frame.includes("task.completed") ? [frame] : [])],
    ["when frames come twice", (frame) => [frame, frame]],
    ["when the connection breaks at every second frame", (frame, index) => (index === 1 ? null : [frame])],
    ["when nothing goes wrong", (frame) => [frame]],
  ])("%s", async (_what, mischief) => {
    const caller = await makeCaller();
    const write = (name: string) => ({
      calls: [{ name: "write_file", arguments: { filename: name, content: "x" } }],
      delayMs: 20,
    });
    const { id } = await caller.makeTask([write("a.txt"), write("b.txt"), write("c.txt"), { text: "Done." }], {
      hold: true,
    });
    const open = () => tasksFromEnv(env)(caller.tenant, id);
    const seen: number[] = [];
    const signal = new AbortController().signal;
    for await (const item of watchTask(behindBadLine(open, mischief), 0, signal)) {
      if (!("event" in item)) continue;
      seen.push(item.event.seq);
      if (item.event.type === "task.created") await caller.send("POST", `/v1/tasks/${id}/start`);
    }
    const page = await open().events(0, 500);
    expect(page.ok && page.value.events.map(({ seq }) => seq)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(10);
  });
});
