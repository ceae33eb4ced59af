/** What a task delivers of a file that it attached more than once. */
import { expect, test } from "vitest";
import type { TaskState } from "../../../core/task/state.ts";
import { decide } from "../../../core/task/task.ts";
import { startThinking } from "./play-task.ts";

test("a file that is attached again with other content of the same size replaces what is delivered", () => {
  const attach = (state: TaskState, hash: string | undefined) => {
    const file = { path: "a.md", size: 3, contentType: "text/markdown", ...(hash === undefined ? {} : { hash }) };
    return decide(state, { type: "attach", file }, 5);
  };
  const first = attach(startThinking(), "1".repeat(64));
  const second = attach(first.state, "2".repeat(64));
  expect(second.state.attachments).toMatchObject([{ path: "a.md", hash: "2".repeat(64) }]);
  expect(second.events).toMatchObject([{ type: "file.attached", data: { sha256: "2".repeat(64) } }]);
  expect(attach(second.state, "2".repeat(64)).events).toEqual([]);
  // A runner of an earlier release sends no hash, so the content is not known.
  expect(attach(second.state, undefined).state.attachments).toEqual([
    { path: "a.md", size: 3, contentType: "text/markdown" },
  ]);
});
