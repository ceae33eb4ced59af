/** Progress of a task in Slack: what is not posted by the task's end is cancelled. */
import { expect, test, vi } from "vitest";
import { isCompleted, openWorkspace, saying } from "./server.ts";

test("the end of a task cancels its progress messages that are not posted yet", async () => {
  const workspace = await openWorkspace();
  await workspace.mention(saying({ text: "Done." }));
  const [task] = await workspace.tasks(1);
  await workspace.caller.until(task?.id ?? "", isCompleted);
  await vi.waitFor(
    async () => {
      const { data } = (await workspace.caller.send("GET", "/v1/deliveries?kind=progress")).json;
      const states = data.map(({ state }: { state: string }) => state);
      expect(states).not.toEqual([]);
      expect(new Set(states)).toEqual(new Set(["called_off"]));
    },
    { timeout: 15_000 },
  );
});
