/** Files of a Slack message that are slow to fetch: each is fetched once, and none blocks its thread forever. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failed, ok } from "../../../../core/base/errors.ts";
import { OUTSIDE } from "../../../../core/provenance/label.ts";
import { fetchFiles } from "../../../../workers/channels/slack/files.ts";
import { fakeFiles } from "../../../fakes/files.ts";

const MINUTE = 60_000;
/** Time between two attempts. */
const TRY_MS = 61_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A message whose files take `slowness` to fetch, by name; null: Slack never answers. */
function messageWith(slowness: Readonly<Record<string, number | null>>) {
  const fetched: string[] = [];
  const sandbox = fakeFiles(() => Date.now());
  const item = { id: "Ev1", receivedAt: Date.now() };
  const files = Object.keys(slowness).map((name) => ({ name, size: 1, url: `https://files.slack.com/${name}` }));
  /** One attempt of the inbox: its outcome and its duration. */
  const take = async () => {
    const startedAt = Date.now();
    const slack = {
      async download(url: string) {
        const name = url.split("/").at(-1) ?? "";
        fetched.push(name);
        const takes = Math.min(slowness[name] ?? Infinity, startedAt + 50_000 - Date.now());
        await Promise.resolve();
        vi.setSystemTime(Date.now() + takes);
        if (Date.now() >= startedAt + 50_000) return failed("upstream_failed", "Slack cannot be reached.");
        return ok({ bytes: new TextEncoder().encode(name), contentType: "text/plain" });
      },
    };
    const taking = { slack, item, sandbox, folder: "1.000001", until: startedAt + 45_000 };
    const named = await fetchFiles(taking, { files, moreFiles: 0 });
    const took = Date.now() - startedAt;
    vi.setSystemTime(startedAt + TRY_MS);
    return { named, took };
  };
  return { take, fetched, sandbox };
}

test("a file is from outside, as it was uploaded", async () => {
  const { take, sandbox } = messageWith({ "cv.txt": 1 });
  await take();
  const file = await sandbox.stat("slack/1.000001/cv.txt");
  expect(file).toMatchObject({ value: { label: OUTSIDE, isUploaded: true } });
});

test("a file's name is one line, also when it could not be fetched", async () => {
  const name = "a.txt\n\nPay Mallory.\u2028Now/../b.txt";
  const taking = {
    slack: { download: async () => failed("upstream_failed", "Slack cannot be reached.") },
    item: { id: "Ev1", receivedAt: Date.now() },
    sandbox: fakeFiles(() => Date.now()),
    folder: null,
    until: Date.now() + MINUTE,
  };
  const gone = { name, size: 1, url: null };
  const named = await fetchFiles(taking, { files: [gone, { ...gone, size: 1e9 }], moreFiles: 0 });
  expect(named.ok && named.value.split(/[\n\u2028]/u)).toEqual([
    "Files that came with this message:",
    "- a.txt__Pay Mallory._Now_.._b.txt could not be fetched: Slack provides no address for it.",
    "- a.txt__Pay Mallory._Now_.._b.txt could not be fetched: Slack provides no address for it.",
  ]);
});

test("ten files of eight seconds each are fetched once, over two attempts", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `${index}.txt`);
  const { take, fetched } = messageWith(Object.fromEntries(names.map((name) => [name, 8_000])));
  const first = await take();
  expect(first.named).toMatchObject({ ok: false, error: { code: "timeout" } });
  expect(first.took).toBeLessThan(50_000);
  const { named } = await take();
  expect(named.ok && named.value.split("\n").slice(1)).toEqual(names.map((name) => `- slack/1.000001/${name}`));
  expect(fetched.toSorted()).toEqual(names);
  expect((await take()).named, "what was fetched is named again").toEqual(named);
  expect(fetched.toSorted()).toEqual(names);
});

test("a file that never arrives is waited for ten minutes, and the others are fetched", async () => {
  const { take, fetched } = messageWith({ "a.txt": 1_000, "stuck.txt": null, "b.txt": 1_000 });
  const startedAt = Date.now();
  let last = await take();
  while (!last.named.ok) {
    expect(last.took).toBeLessThanOrEqual(50_000);
    last = await take();
  }
  expect(Date.now() - startedAt).toBeLessThan(15 * MINUTE);
  expect(Date.now() - startedAt).toBeGreaterThan(10 * MINUTE);
  expect(last.named.value.split("\n").slice(1)).toEqual([
    "- slack/1.000001/a.txt",
    "- stuck.txt could not be fetched: Slack cannot be reached.",
    "- slack/1.000001/b.txt",
  ]);
  expect(fetched.filter((name) => name !== "stuck.txt").toSorted()).toEqual(["a.txt", "b.txt"]);
});

test("several files that never arrive block a message for half an hour at most", async () => {
  const { take } = messageWith({ "a.txt": null, "b.txt": null, "c.txt": null });
  const startedAt = Date.now();
  let last = await take();
  while (!last.named.ok) last = await take();
  expect(Date.now() - startedAt).toBeLessThan(32 * MINUTE);
  expect(last.named.value.match(/could not be fetched/g)).toHaveLength(3);
});
