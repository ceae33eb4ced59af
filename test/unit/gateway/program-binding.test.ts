/** A program that a person has to approve: what is approved is the content of all files that it is given. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { hashApproved } from "../../../core/gateway/bind-files.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { ActLine } from "../../../core/steps/rpc.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { BoundFile } from "../../../core/sandbox/bind-copy.ts";
import runCommand from "../../../tools/shell/run-command.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { fakeScripts } from "../../fakes/scripts.ts";
import { skillsOfTexts } from "../../fakes/skill-texts.ts";
import { agent, boundIn, depsFor, performLast, prepare } from "../steps/play-gateway.ts";
import { drawsFrom } from "../task/play-task.ts";
import { factsOf } from "../task/world.ts";

const FACTS = factsOf(agent({ permissions: ["exec"], tool_config: { shell: { allow_shell: true } } }));
const BIND = { mode: "bind", approvedFiles: [] } as const;
let writes = 0;
async function put(files: FilesPort, path: string, text: string): Promise<void> {
  writes += 1;
  await files.write(path, new TextEncoder().encode(text), { key: `w${writes}` });
}

/** A sandbox with a script and a directory. */
async function sandbox(): Promise<FilesPort> {
  const files = fakeFiles();
  await put(files, "x.py", "good");
  await put(files, "data/a.csv", "1");
  await put(files, "data/b.csv", "2");
  return files;
}

/** Makes the call and gives its last line; `ran` gets the files of each run. */
async function make(
  files: FilesPort,
  only: readonly string[] | undefined,
  more: Partial<RunnableCall> = {},
  ran: string[] = [],
): Promise<ActLine> {
  const given = { command: "python3 x.py", cwd: ".", timeout: 30, ...(only === undefined ? {} : { files: only }) };
  const argumentsHash = await hashArguments(runCommand.name, given);
  const row = { tool: runCommand.name, arguments: given, argumentsHash, effect: "once", key: "call_x_1_0" } as const;
  const call: RunnableCall = { callId: "call_x_1_0", mode: "run", attempt: 1, ...row, ...more };
  const scripts = fakeScripts((work) => {
    ran.push([...work].map(([path, bytes]) => `${path}=${new TextDecoder().decode(bytes)}`).join(" "));
    return undefined;
  });
  const toolset = await buildToolset([runCommand], FACTS);
  const deps = {
    ...depsFor([runCommand]),
    toolset,
    ports: { ...({} as ToolPorts), files, scripts, skills: skillsOfTexts(), patterns: linearPatterns },
  };
  return await performLast(call, FACTS, deps);
}
const bind = async (files: FilesPort, only?: readonly string[]) => boundIn(await make(files, only, BIND));

describe("a program that a person has to approve", () => {
  test("needs an approval once its files are known, even without an earlier one", async () => {
    for (const given of ['{"command":"ls"}', '{"command":"ls","files":["x.py"]}']) {
      const [asks] = await prepare([runCommand], [{ name: "run_command", arguments: given }], FACTS);
      expect(asks).toMatchObject({ approval: { reason: expect.any(String) }, namesFiles: true });
    }
  });

  test("is bound by each file that it names, by each directory, and else by all that it is given", async () => {
    const files = await sandbox();
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(await bind(files, ["x.py", "data"])).toEqual([
      { path: "x.py", size: 4, hash },
      { path: "data/", size: 2, hash, fileCount: 2 },
    ]);
    expect(await bind(files)).toEqual([{ path: "./", size: 6, hash, fileCount: 3 }]);
  });

  test.each([
    ["a file", ["x.py"], "x.py"],
    ["a file of a directory", ["data"], "data/a.csv"],
    ["a file that is new in a directory", ["data"], "data/new.csv"],
    ["any file", undefined, "data/new.csv"],
  ] as const)("is not run, and needs another approval, when %s changed", async (_what, only, path) => {
    const [files, ran] = [await sandbox(), [] as string[]];
    const approvedFiles = await bind(files, only);
    await put(files, path, "evil");
    const line = await make(files, only, { approvedFiles }, ran);
    const hashes = [approvedFiles, boundIn(line)].map((bound) => hashApproved("a", bound));
    expect([new Set(hashes).size, ran]).toEqual([2, []]);
  });

  test.each([["x.py"], ["data/a.csv"]])(
    "does not run, and needs a new approval, when the mode of %s changed",
    async (path) => {
      for (const only of [[path], ["x.py", "data"], undefined]) {
        const [files, ran] = [await sandbox(), [] as string[]];
        const approvedFiles = await bind(files, only);
        const read = await files.read(path, 100);
        const bytes = read.ok ? read.value.bytes : new Uint8Array();
        await files.write(path, bytes, { key: "mode", mode: 0o755 });
        const line = await make(files, only, { approvedFiles }, ran);
        const hashes = [approvedFiles, boundIn(line)].map((bound) => hashApproved("a", bound));
        expect([new Set(hashes).size, ran]).toEqual([2, []]);
        // The approval of the new mode is one.
        expect((await make(files, only, { approvedFiles: boundIn(line) }, ran)).type).toBe("settled");
        expect(ran).toHaveLength(1);
      }
    },
  );

  test("is run when equal bytes were written again, and when a file changed that it is not given", async () => {
    const [files, ran] = [await sandbox(), [] as string[]];
    const approvedFiles = await bind(files, ["x.py"]);
    await put(files, "x.py", "evil");
    await put(files, "x.py", "good");
    await put(files, "data/a.csv", "other");
    expect((await make(files, ["x.py"], { approvedFiles }, ran)).type).toBe("settled");
    expect(ran).toEqual(["x.py=good"]);
  });

  test("is given the approved bytes when a file changes while it starts", async () => {
    const [files, ran] = [await sandbox(), [] as string[]];
    const approvedFiles = await bind(files);
    const racing: FilesPort = {
      ...files,
      walk: async (...given) => {
        const page = await files.walk(...given);
        await put(files, "x.py", "evil");
        return page;
      },
    };
    expect((await make(racing, undefined, { approvedFiles }, ran)).type).toBe("settled");
    expect(ran).toEqual(["data/a.csv=1 data/b.csv=2 x.py=good"]);
  });

  test("that may have run before is unknown when a file changed since, and not run again", async () => {
    const [files, ran] = [await sandbox(), [] as string[]];
    const approvedFiles = await bind(files);
    await put(files, "x.py", "evil");
    const line = await make(files, undefined, { approvedFiles, attempt: 2 }, ran);
    expect([line, ran]).toMatchObject([{ type: "settled", outcome: { state: "unknown" } }, []]);
  });

  test("fails without an approval when a file or its directory is missing", async () => {
    const line = await make(await sandbox(), ["nowhere.py"], BIND);
    expect(line).toMatchObject({ type: "settled", outcome: { state: "failed", result: { ok: false } } });
  });

  test("runs only on approved files, at any time of a write", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const draw = drawsFrom(seed);
        const [files, ran] = [await sandbox(), [] as string[]];
        const disturb = async () => {
          const path = draw() < 0.5 ? "x.py" : "data/a.csv";
          if (draw() < 0.4) await put(files, path, `text ${Math.floor(draw() * 2)}`);
        };
        const disturbed: FilesPort = {
          ...files,
          walk: async (...given) => {
            await disturb();
            const page = await files.walk(...given);
            await disturb();
            return page;
          },
        };
        const only = draw() < 0.5 ? undefined : ["x.py", "data"];
        let approved: readonly BoundFile[] | null = null;
        for (let rounds = 0; rounds < 20 && ran.length === 0; rounds += 1) {
          const line = await make(disturbed, only, approved === null ? BIND : { approvedFiles: approved }, ran);
          if (line.type === "bound") approved = line.files;
        }
        runs += ran.length;
        // The same files in a sandbox of their own are bound to what was approved.
        const copy = fakeFiles();
        for (const [path = "", text = ""] of (ran[0] ?? "").split(/ (?=[a-z/]+\.)/).map((one) => one.split("=")))
          await put(copy, path, text);
        if (ran.length > 0) expect(await bind(copy, only)).toEqual(approved);
      }),
      { numRuns: 100 },
    );
    expect(runs).toBeGreaterThan(0);
  });
});

test("the approved hash is that of the arguments without files, and with files of both", () => {
  const file = (hash: string, path = "a.md") => ({ path, hash, size: 1 });
  expect(hashApproved("h")).toBe("h");
  expect(hashApproved("h", [])).toBe("h");
  const others = [
    hashApproved("h", [file("1")]),
    hashApproved("h", [file("2")]),
    hashApproved("h", [file("1", "b.md")]),
    hashApproved("g", [file("1")]),
  ];
  expect(new Set(others).size).toBe(4);
  for (const hash of others) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});
