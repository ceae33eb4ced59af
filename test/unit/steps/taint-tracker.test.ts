/** The texts that a call reads label its result and its writes. */
import { describe, expect, test } from "vitest";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { type Label, OUTSIDE, PERSON, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import { TaintTracker } from "../../../core/steps/taint-tracker.ts";
import type { ScriptRequest } from "../../../core/ports/scripts.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { codebasesOfTexts } from "../../fakes/codebases.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeMemory } from "../../fakes/memory.ts";
import { fakeResults } from "../../fakes/results.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The ports of a call with this context, and its tracker. */
function watched(context: Label, ports: Partial<ToolPorts>) {
  const tracker = new TaintTracker(context);
  return { tracker, ports: tracker.watch(ports as ToolPorts) };
}

async function filesWith(labels: Readonly<Record<string, Label>>) {
  const files = fakeFiles();
  for (const [path, label] of Object.entries(labels)) await files.write(path, bytesOf(path), { key: path, label });
  return files;
}

describe("what a tool yields", () => {
  const yielded = (name: string) => {
    const tracker = new TaintTracker(PRINCIPAL);
    const tool = catalogue.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    tracker.begin(tool);
    return tracker.label;
  };

  test.each([
    ["http_request", OUTSIDE],
    ["http.get", OUTSIDE],
    ["web_search", OUTSIDE],
    ["ssh_execute", OUTSIDE],
    ["memory_search", TENANT],
    ["read_file", PRINCIPAL],
    ["evaluate_expression", PRINCIPAL],
    ["send_email", PRINCIPAL],
  ])("of %s is %i in the context of a principal", (name, label) => {
    expect(yielded(name)).toBe(label);
  });

  test("of every tool that reaches outside is outside, unless it is known to return no text from there", () => {
    const reaching = catalogue.filter(({ needs }) => needs.some((need) => need === "web" || need === "search"));
    expect(reaching.length).toBeGreaterThan(3);
    for (const { name } of reaching) expect(yielded(name), name).toBe(OUTSIDE);
  });
});

describe("a call", () => {
  test("has the label of each file whose bytes or name it reads", async () => {
    const labels = { "clean.txt": PRINCIPAL, "d/page.html": OUTSIDE, "e/list.txt": TENANT };
    const reads: [string, Label, (files: ToolPorts["files"]) => Promise<unknown>][] = [
      ["read", PRINCIPAL, (files) => files.read("clean.txt", 100)],
      ["read", OUTSIDE, (files) => files.read("d/page.html", 100)],
      ["open", TENANT, (files) => files.open("e/list.txt")],
      ["list", OUTSIDE, (files) => files.list("")],
      ["list", TENANT, (files) => files.list("e")],
      ["walk", OUTSIDE, (files) => files.walk("d", null, 10)],
      ["stat", PRINCIPAL, (files) => files.stat("d/page.html")],
    ];
    for (const [how, label, read] of reads) {
      const { tracker, ports } = watched(PRINCIPAL, { files: await filesWith(labels) });
      await read(ports.files);
      expect(tracker.label, how).toBe(label);
    }
  });

  test("gives its writes the label of its context and of its earlier reads", async () => {
    const { ports } = watched(PERSON, { files: await filesWith({ "page.html": OUTSIDE }) });
    const before = await ports.files.write("before.txt", bytesOf("x"), { key: "1", label: PRINCIPAL });
    await ports.files.read("page.html", 100);
    const after = await ports.files.write("after.txt", bytesOf("x"), { key: "2" });
    expect([before, after]).toMatchObject([{ value: { label: PERSON } }, { value: { label: OUTSIDE } }]);
    await ports.files.apply([{ kind: "write", path: "set.txt", bytes: bytesOf("x"), ifVersion: 0 }], { key: "3" });
    expect(await ports.files.stat("set.txt")).toMatchObject({ value: { label: OUTSIDE } });
  });

  test("is of uploads alone while it reads no other author's text", async () => {
    const labels = { "own.txt": PRINCIPAL, "d/page.html": OUTSIDE };
    const reads: [string, boolean, (ports: ToolPorts) => Promise<unknown>][] = [
      ["nothing", false, async () => undefined],
      ["an upload", true, ({ files }) => files.read("up/cv.txt", 100)],
      ["a folder of uploads", true, ({ files }) => files.walk("up", null, 10)],
      ["a file that a call wrote", false, ({ files }) => files.read("d/page.html", 100)],
      ["the names of all", false, ({ files }) => files.list("")],
      ["a result", false, ({ results }) => results.read("own")],
    ];
    for (const [what, isOfUploads, read] of reads) {
      const files = await filesWith(labels);
      await files.write("up/cv.txt", bytesOf("cv"), { key: "u", label: OUTSIDE, isUploaded: true });
      const { tracker, ports } = watched(PRINCIPAL, { files, results: fakeResults({ own: "x" }, { own: TENANT }) });
      await read(ports);
      expect(tracker.readUploadsOnly, what).toBe(isOfUploads);
      await ports.files.read("up/cv.txt", 100);
      expect(tracker.readUploadsOnly, `${what}, then an upload`).toBe(what === "nothing" || isOfUploads);
      expect(tracker.label).toBe(OUTSIDE);
    }
  });

  test("writes no upload after any read", async () => {
    const files = fakeFiles();
    await files.write("up/cv.txt", bytesOf("cv"), { key: "u", label: OUTSIDE, isUploaded: true });
    const { ports } = watched(PRINCIPAL, { files });
    const read = await ports.files.read("up/cv.txt", 100);
    if (!read.ok) throw new Error(read.error.message);
    await ports.files.write("copy.txt", read.value.bytes, { key: "c", isUploaded: true });
    expect(await files.stat("copy.txt")).toMatchObject({ value: { label: OUTSIDE, isUploaded: false } });
  });

  test("has the label of a result that it reads again, but not of an unreadable one", async () => {
    const results = fakeResults({ own: "x", page: "y" }, { own: TENANT });
    const { tracker, ports } = watched(PRINCIPAL, { results });
    await ports.results.read("nothing");
    expect(tracker.label).toBe(PRINCIPAL);
    await ports.results.read("own");
    expect(tracker.label).toBe(TENANT);
    await ports.results.read("page");
    expect(tracker.label).toBe(OUTSIDE);
  });

  test("is outside once a program had the network, and not without it", async () => {
    const scripts = { run: () => Promise.reject(new Error("there is no cage here")) };
    const { tracker, ports } = watched(PRINCIPAL, { scripts });
    const request = { network: null } as ScriptRequest;
    await ports.scripts.run(request).catch(() => undefined);
    expect(tracker.label).toBe(PRINCIPAL);
    await ports.scripts.run({ ...request, network: ["api.example.com"] }).catch(() => undefined);
    expect(tracker.label).toBe(OUTSIDE);
  });
});

test("code that a search finds is from outside, and a search without a hit has read nothing", async () => {
  for (const [query, label] of [
    ["addItem", OUTSIDE],
    ["nothingLikeThis", PRINCIPAL],
  ] as const) {
    const { tracker, ports } = watched(PRINCIPAL, { codebases: codebasesOfTexts() });
    const { signal } = new AbortController();
    await ports.codebases.search({ query, fileType: null, codebase: null, limit: 5, signal });
    expect(tracker.label, query).toBe(label);
  }
});

describe("memory", () => {
  const note = { tags: [], label: PRINCIPAL, nowMs: 1, signal: AbortSignal.timeout(10_000) };
  const query = { query: "refunds", onlyProject: false, kind: null, limit: 5, signal: note.signal };

  async function memoryWith(label: Label) {
    const memory = fakeMemory();
    await memory.save({ ...note, content: "All refunds need no approval.", label, key: "1" });
    return watched(PRINCIPAL, { memory });
  }

  test.each([
    ["a claim that is asked for", OUTSIDE, true, OUTSIDE],
    ["a claim that is left out", OUTSIDE, false, PRINCIPAL],
    ["a record", PRINCIPAL, true, TENANT],
  ] as const)("%s labels the call's result", async (_, saved, withOutside, label) => {
    const { tracker, ports } = await memoryWith(saved);
    await ports.memory.search({ ...query, withOutside });
    expect(tracker.label).toBe(label);
  });

  test("saved after a claim was read is a claim", async () => {
    const { ports } = await memoryWith(OUTSIDE);
    await ports.memory.search({ ...query, withOutside: true });
    const saved = await ports.memory.save({ ...note, content: "Another text.", key: "2" });
    expect(saved).toMatchObject({ value: { memory: { label: OUTSIDE } } });
  });
});
