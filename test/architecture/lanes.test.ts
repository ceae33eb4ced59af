import { expect, test } from "vitest";
import { type Ended, lanesOf, runLanes } from "../../scripts/lanes.ts";
import { SUITES } from "../../scripts/suites.ts";

const inLane = (lane: string) => SUITES.filter((suite) => suite.lane === lane).map(({ name }) => name);
const [working, services, browser] = [inLane("work"), inLane("services"), inLane("browser")];

test("suites that wait run at the same time as suites that work, and each lane runs one after another", () => {
  expect([services.length, browser.length]).not.toContain(0);
  const names = ["check", ...SUITES.map(({ name }) => name)];
  expect(lanesOf(names)).toEqual({ shown: ["check", ...working], beside: [services, browser] });
});

test("the first lane is shown while it runs", () => {
  expect(lanesOf([...services, ...browser])).toEqual({ shown: services, beside: [browser] });
  expect(lanesOf(browser)).toEqual({ shown: browser, beside: [] });
  expect(lanesOf(["check"])).toEqual({ shown: ["check"], beside: [] });
  expect(lanesOf([])).toEqual({ shown: [], beside: [] });
});

/** Suites that end when they are told to. */
function held() {
  const ends = new Map<string, () => void>();
  const shown: string[] = [];
  const said: string[] = [];
  const run = (name: string, show: boolean): Promise<Ended> => {
    if (show) shown.push(name);
    const output = show ? "" : `${name} says\nwhat it has to say\n`;
    return new Promise((resolve) => ends.set(name, () => resolve({ name, output })));
  };
  const end = async (name: string): Promise<void> => {
    const over = ends.get(name);
    if (over === undefined) throw new Error(`${name} does not run`);
    ends.delete(name);
    over();
    await new Promise((later) => setImmediate(later));
  };
  return { ends, shown, said, run, end, say: (text: string) => void said.push(text) };
}

test("lanes run beside each other, each one suite at a time", async () => {
  const { ends, shown, run, end, say } = held();
  const all = runLanes({ shown: ["a", "b"], beside: [["x", "y"]] }, run, say);
  expect([...ends.keys()].sort()).toEqual(["a", "x"]);
  await end("x");
  expect([...ends.keys()].sort()).toEqual(["a", "y"]);
  await end("a");
  expect([...ends.keys()].sort()).toEqual(["b", "y"]);
  await end("b");
  await end("y");
  expect((await all).map(({ name }) => name).sort()).toEqual(["a", "b", "x", "y"]);
  expect(shown).toEqual(["a", "b"]);
});

test("what a suite beside the shown ones printed is said whole, once, and never into the middle of one", async () => {
  const { said, run, end, say } = held();
  const all = runLanes({ shown: ["a", "b"], beside: [["x", "y"]] }, run, say);
  await end("x");
  expect(said).toEqual(["\n── a"]);
  await end("a");
  expect(said).toEqual(["\n── a", "\n── x\nx says\nwhat it has to say", "\n── b"]);
  await end("b");
  await end("y");
  await all;
  expect(said.slice(3)).toEqual(["\n── y\ny says\nwhat it has to say"]);
});

test("a shown suite whose runner could not be started says why", async () => {
  const { said, say } = held();
  const failed = (name: string): Promise<Ended> => Promise.resolve({ name, output: "Error: spawn vitest ENOENT" });
  await runLanes({ shown: ["a"], beside: [] }, failed, say);
  expect(said).toEqual(["\n── a", "Error: spawn vitest ENOENT"]);
});
