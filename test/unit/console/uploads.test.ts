import { describe, expect, it } from "vitest";
import { addFiles, type ChosenFile, tooLarge } from "../../../web/src/pages/tasks/upload-names.ts";
import { UploadQueue } from "../../../web/src/pages/tasks/upload-queue.ts";

function file(name: string): File {
  return new File(["x"], name);
}

function chosen(...names: readonly string[]): ChosenFile[] {
  return addFiles([], names.map(file));
}

/** A way out that the test ends by hand, file by file. */
function byHand() {
  const under = new Map<string, { readonly arrive: () => void; readonly fail: (why: string) => void }>();
  const queue = new UploadQueue(
    async ({ name }) =>
      await new Promise<void>((resolve, reject) => {
        under.set(name, { arrive: resolve, fail: (why) => reject(new Error(why)) });
      }),
  );
  const states = (): string[] => queue.items().map(({ name, state }) => `${name} ${state}`);
  return { queue, under, states };
}

const settled = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve));

describe("the files that a task starts with", () => {
  it("have a name each: of two with one, the second gets a number", () => {
    const names = addFiles(chosen("a.csv", "notes"), [file("a.csv"), file("a.csv"), file("notes")]);
    expect(names.map(({ name }) => name)).toEqual(["a.csv", "notes", "a (2).csv", "a (3).csv", "notes (2)"]);
  });

  it("are reported when they are too large", () => {
    const large = { name: "a", file: { size: 52_428_801 } as File };
    expect(tooLarge([large, { name: "b", file: { size: 52_428_800 } as File }])).toEqual([large]);
  });

  it("go out three at a time, and the next when one has arrived", async () => {
    const { queue, under, states } = byHand();
    queue.add(chosen("a", "b", "c", "d"));
    expect(states()).toEqual(["a sending", "b sending", "c sending", "d waiting"]);
    under.get("b")?.arrive();
    await settled();
    expect(states()).toEqual(["a sending", "b done", "c sending", "d sending"]);
  });

  it("fail one by one, and only those are sent again", async () => {
    const { queue, under, states } = byHand();
    queue.add(chosen("a", "b"));
    under.get("a")?.fail("Otto does not answer.");
    under.get("b")?.arrive();
    await settled();
    expect(states()).toEqual(["a failed", "b done"]);
    expect(queue.items()[0]?.fault).toBe("Otto does not answer.");
    queue.retryFailed();
    expect(states()).toEqual(["a sending", "b done"]);
    under.get("a")?.arrive();
    await settled();
    expect(states()).toEqual(["a done", "b done"]);
  });

  it("can be left out, but not while they are on their way", async () => {
    const { queue, under, states } = byHand();
    queue.add(chosen("a", "b"));
    under.get("a")?.fail("no");
    await settled();
    queue.leaveOut("a");
    queue.leaveOut("b");
    expect(states()).toEqual(["b sending"]);
  });
});
