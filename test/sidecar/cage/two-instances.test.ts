/** Two sidecars of one machine, one of them in another network namespace, with the same temporary folder, folder and port. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readOrNull, readProcesses } from "../../../sidecar/cage/processes.ts";
import { scriptFile } from "../../contracts/scripts/script-request.ts";
import {
  endSidecar,
  killSidecars,
  makeFolder,
  type RunningSidecar,
  SECRET,
  startSidecar,
  runProgram,
} from "./program.ts";
import { findUnusedPort } from "../../mock-servers/listen.ts";

/** A machine can be busy. */
const LONG = { timeout: 25_000 } as const;
vi.setConfig({ testTimeout: 120_000 });
const isRoot = process.getuid?.() === 0;

/** The loopback of a new network namespace is down (SIOCSIFFLAGS: IFF_UP, IFF_RUNNING). */
const LOOPBACK_UP =
  "import fcntl, os, socket, struct, sys\n" +
  "fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41))\n" +
  "os.execv(sys.argv[1], sys.argv[1:])";
const OTHER_NETWORK = ["unshare", "--net", "python3", "-c", LOOPBACK_UP];

const BASE = fileURLToPath(new URL("../../../", import.meta.url));

afterEach(killSidecars);

/** Runs a command in a sidecar's cage from inside of its network namespace; gives the run as the Worker has it. */
async function runInside({ process: sidecar, url }: RunningSidecar, command: string): Promise<unknown> {
  const program = `
    import { openScripts } from ${JSON.stringify(`${BASE}adapters/sidecar/scripts.ts`)};
    import { connectSidecar } from ${JSON.stringify(`${BASE}adapters/sidecar/sidecar.ts`)};
    import { scriptFile, shell } from ${JSON.stringify(`${BASE}test/contracts/scripts/script-request.ts`)};
    const scripts = openScripts({ sidecar: connectSidecar(${JSON.stringify(url)}, ${JSON.stringify(SECRET)}), tenant: "t2" });
    const ran = await scripts.run(shell(${JSON.stringify(command)}, { timeoutMs: 60_000, files: [scriptFile("in", "2")] }));
    console.log(JSON.stringify(ran));
  `;
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program];
  const child = spawn("nsenter", [`--target=${sidecar.pid ?? 0}`, "--net", ...node], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(said);
}

function isRunning(word: string): boolean {
  return readProcesses().some(({ pid }) => {
    const [program = "", , text = ""] = readOrNull(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
    return program === "/bin/sh" && text.includes(word) && !text.includes("ended");
  });
}

describe.skipIf(!isRoot)("two sidecars (skipped because only root can make a network namespace)", () => {
  it("end none of each other's programs and remove none of each other's files, in any order of starts and ends", async () => {
    const [folder, port] = [makeFolder(), String(await findUnusedPort())];
    const word = (name: string) => `${name}-${process.pid}`;
    const long = (name: string) => `: ${word(name)}; sleep 6; cat in > out; rm in; cat out`;
    const done = (text: string) => ({ exitCode: 0, stdout: text, removed: ["in"], written: [{ path: "out" }] });

    const first = await startSidecar({ PORT: port }, { folder });
    const ours = runProgram(first, long("ours"), { timeoutMs: 60_000, files: [scriptFile("in", "1")] });
    await expect.poll(() => isRunning(word("ours")), LONG).toBe(true);
    const second = await startSidecar({ PORT: port }, { folder, starter: OTHER_NETWORK });
    const theirs = runInside(second, long("theirs"));
    await expect.poll(() => isRunning(word("theirs")), LONG).toBe(true);
    expect(await ours).toMatchObject(done("1"));

    // The first one is killed and starts again while the other's program runs.
    await endSidecar(first, "SIGKILL");
    const third = await startSidecar({ PORT: port }, { folder });
    expect(await runProgram(third, "echo again")).toMatchObject({ stdout: "again\n" });
    expect(await theirs).toMatchObject({ ok: true, value: done("2") });
    expect([second.stderr(), third.stderr()]).toEqual(["", ""]);
  });
});
