/** The habits suite: calls as models write them, through the gateway's first half, and batches through both. */
import { describe, expect, test } from "vitest";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import type { ActJob } from "../../../core/steps/rpc.ts";
import { buildToolset, type Toolset } from "../../../core/steps/toolset.ts";
import type { CallOutcome, PreparedCall } from "../../../core/task/commands.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { agent, depsFor, outcomesOf } from "../../unit/steps/play-gateway.ts";
import { factsOf } from "../../unit/task/world.ts";
import { freshPorts } from "../run-tool.ts";
import { ALIASES, FILE_SPELLINGS, FILE_TOOLS, NAMES, REFUSED, ROOT_SPELLINGS, ROOT_TOOLS, TYPES } from "./habits.ts";

const facts: TaskFacts = factsOf(agent({ permissions: ["read", "write", "exec", "network"] }));
const toolset: Promise<Toolset> = buildToolset(catalogue, facts);

async function prepare(calls: readonly (readonly [string, object | string])[]): Promise<PreparedCall[]> {
  const requested = calls.map(([name, given]) => ({
    name,
    arguments: typeof given === "string" ? given : JSON.stringify(given),
  }));
  return await prepareCalls(requested, {
    facts,
    step: 1,
    toolset: await toolset,
    repeat: null,
    context: BY_PRINCIPAL,
  });
}

async function prepareOne(name: string, given: object | string): Promise<PreparedCall> {
  const [call] = await prepare([[name, given]]);
  if (call === undefined) throw new Error("a prepared call is missing");
  return call;
}

/** The paths of a call, by whichever names its tool has for them. */
async function listPaths({ tool, arguments: given }: PreparedCall): Promise<unknown[]> {
  const { refersTo = {} } = (await toolset).resolve(tool) ?? {};
  const values = new Map(Object.entries(given ?? {}));
  return Object.keys(refersTo).flatMap((name) => values.get(name) ?? []);
}

test("the suite has at least 200 calls", () => {
  const paths = FILE_SPELLINGS.length * FILE_TOOLS.length + ROOT_SPELLINGS.length * ROOT_TOOLS.length;
  expect(paths + ALIASES.length + TYPES.length + NAMES.length + REFUSED.length).toBeGreaterThanOrEqual(200);
});

describe("a path in any usual spelling", () => {
  const files = FILE_TOOLS.flatMap(([tool, argument, more]) =>
    FILE_SPELLINGS.map((path) => [tool, path, argument, more] as const),
  );
  test.each(files)("of %s: %j is the same call", async (tool, path, argument, more) => {
    const call = await prepareOne(tool, { [argument]: path, ...more });
    const plain = await prepareOne(tool, { [argument]: "notes/a.md", ...more });
    expect(call.outcome).toBeNull();
    expect(await listPaths(call)).toEqual(["notes/a.md"]);
    expect(call.argumentsHash).toBe(plain.argumentsHash);
    expect(call.argumentsHash).toBe(await hashArguments(call.tool, call.arguments));
  });

  const roots = ROOT_TOOLS.flatMap(([tool, argument, more]) =>
    ROOT_SPELLINGS.map((path) => [tool, path, argument, more] as const),
  );
  test.each(roots)("of %s: %j is the root", async (tool, path, argument, more) => {
    const call = await prepareOne(tool, { [argument]: path, ...more });
    const plain = await prepareOne(tool, more);
    expect([call.outcome, await listPaths(call)]).toEqual([null, [""]]);
    expect(call.argumentsHash).toBe(plain.argumentsHash);
  });

  test("is what an approval shows and covers", async () => {
    const command = { command: "cat notes/a.md" };
    const call = await prepareOne("run_command", { ...command, files: "./notes//a.md", cwd: "/workspace" });
    expect(call.approval).not.toBeNull();
    expect(call.arguments).toMatchObject({ ...command, files: ["notes/a.md"], cwd: "" });
  });

  test("is normalised to NFC", async () => {
    const call = await prepareOne("fs.read", { path: "/cafe\u0301.md" });
    expect(await listPaths(call)).toEqual(["caf\u00e9.md"]);
  });
});

describe("arguments as models write them", () => {
  test.each([...ALIASES, ...TYPES])("of %s: %j is read as %j", async (tool, given, reads) => {
    const call = await prepareOne(tool, given);
    expect([call.outcome, call.tool]).toEqual([null, tool]);
    expect(call.arguments).toMatchObject(reads);
  });
});

describe("the name of a tool", () => {
  test.each(NAMES)("%s is %s", async (written, name) => {
    const call = await prepareOne(written, {});
    expect(call.tool).toBe(name);
    expect((await toolset).resolve(written)?.name).toBe(name);
  });

  test("that call_tool names may be written in the same ways, with its arguments as text", async () => {
    const given = { name: "FS-Read", arguments: '{"file_path": "./a.md", "max_size": "10"}' };
    const call = await prepareOne("Call-Tool", given);
    expect([call.tool, call.outcome]).toEqual(["fs.read", null]);
    expect(call.arguments).toMatchObject({ path: "a.md", max_size: 10 });
  });
});

describe("what would be a guess", () => {
  test.each(REFUSED)("of %s: %j is refused: %s in %s", async (tool, given, code, field, message) => {
    const { outcome } = await prepareOne(tool, given);
    expect(outcome?.result).toMatchObject({
      ok: false,
      error: { code, field, message: expect.stringMatching(message) },
    });
    const text = outcome?.content ?? "";
    expect(text).not.toMatch(/Invalid (?:input|option)|expected \w+, received|Too (?:big|small)|Unrecognized/);
  });
});

describe("calls of one message that depend on each other", () => {
  async function perform(calls: readonly (readonly [string, object])[], ports: ToolPorts): Promise<CallOutcome[]> {
    const prepared = await prepare(calls);
    const job: ActJob = {
      facts,
      step: 1,
      timeoutMs: 60_000,
      calls: prepared.map((call) => ({
        ...call,
        callId: call.id,
        key: call.id,
        label: PRINCIPAL,
        mode: "run" as const,
        attempt: 1,
      })),
    };
    const deps = { ...depsFor(catalogue), toolset: await toolset, ports };
    return await outcomesOf(job, deps, new AbortController().signal);
  }

  test.each([
    [
      "a file that is written, then read",
      [
        ["write_file", { file_path: "/workspace/a.md", content: "one" }],
        ["Read-File", { path: "./a.md" }],
      ],
      "one",
    ],
    [
      "a folder, a file in it, and a list",
      [
        ["create_directory", { dir_path: "./out/" }],
        ["write_file", { path: "out//b.md", content: "two" }],
        ["list_directory", { path: "/out" }],
      ],
      /b\.md/,
    ],
    [
      "a file that is written twice, then searched",
      [
        ["fs_write", { path: "c.md", content: "old" }],
        ["fs_write", { path: "/c.md", content: "new", backup: "false" }],
        ["grep", { pattern: "new|old", path: "." }],
      ],
      /^c\.md:1: new$/,
    ],
    [
      "a file that is deleted before it is read",
      [
        ["write_file", { path: "d.md", content: "x" }],
        ["delete_file", { filename: "./d.md" }],
        ["read_file", { path: "d.md" }],
      ],
      /File not found: d\.md/,
    ],
    [
      "a memory that is saved, then found",
      [
        ["memory_save", { content: "Otters live by the river.", tags: "otter" }],
        ["memory-search", { q: "Otters live by the river." }],
      ],
      /river/,
    ],
  ] as const)("%s", async (_, calls, last) => {
    const outcomes = await perform(calls, freshPorts());
    expect(outcomes.at(-1)?.content).toMatch(last);
    expect(outcomes).toHaveLength(calls.length);
  });
});
