/** The files of people's messages in Slack: where the task that reads them finds them. */
import { reset } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { mentionEvent } from "../stand-ins/slack-requests.ts";
import { asking, isOver, makeDesk, nextTs, waiting } from "./slack-desk.ts";

beforeEach(() => reset());

describe("a file", () => {
  test("of a message stands in the task's sandbox before it begins; one that cannot be fetched is named", async () => {
    const desk = await makeDesk();
    const file = await desk.slack.putFile("plan ../x.txt", "do it");
    const gone = { ...file, name: "gone.txt", url_private_download: "https://elsewhere.example/x", url_private: null };
    const ts = nextTs();
    const text = `<@${desk.app.botUser}> look`;
    await desk.event({ ...mentionEvent({ user: "U0ANA", channel: "C0GENERAL", ts, text }), files: [file, gone] });
    const [task] = await desk.tasks(1);
    await desk.caller.until(task?.id ?? "", isOver);
    const read = await desk.caller.send("GET", `/v1/tasks/${task?.id}/files/slack/plan%20.._x.txt`);
    expect(read.text).toBe("do it");
    const events = await desk.caller.send("GET", `/v1/tasks/${task?.id}/events`, undefined, {
      accept: "application/json",
    });
    expect(events.text).toContain("slack/plan .._x.txt");
    expect(events.text).toContain("gone.txt could not be fetched: This address is none of Slack's.");
    expect((await desk.slack.calls("download")).length).toBe(1);
  });

  test("that answers a question stands in the sandbox, and the answer names it", async () => {
    const desk = await makeDesk();
    const { ts, view } = await waiting(desk, asking("Where is the list?"));
    const file = await desk.slack.putFile("list.csv", "a,b");
    await desk.reply(ts, "Here", { ts: "1795000000.000001", files: [file] });
    await desk.caller.until(view.id, isOver);
    const log = await desk.caller.send("GET", `/v1/tasks/${view.id}/events`, undefined, { accept: "application/json" });
    const answered = log.json.data.find(({ type }: { type: string }) => type === "question.answered");
    expect(answered.data.answer).toBe("Here\n\nFiles that came with this message:\n- slack/1795000000.000001/list.csv");
  });

  test("of a further message stands beside one of the same name", async () => {
    const desk = await makeDesk();
    const { ts, view } = await waiting(desk, asking("Which pictures?"), asking("Any more?"));
    for (const [index, content] of ["first", "second"].entries()) {
      const file = await desk.slack.putFile("image.png", content, "image/png");
      await desk.reply(ts, "this", { ts: `1795000000.00000${index}`, files: [file] });
      await vi.waitFor(
        async () => {
          const path = `slack/1795000000.00000${index}/image.png`;
          expect((await desk.caller.send("GET", `/v1/tasks/${view.id}/files/${path}`)).text).toBe(content);
        },
        { timeout: 20_000 },
      );
    }
    const first = await desk.caller.send("GET", `/v1/tasks/${view.id}/files/slack/1795000000.000000/image.png`);
    expect(first.text).toBe("first");
  });
});
