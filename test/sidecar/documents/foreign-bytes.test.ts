/** Programs that process untrusted bytes have no rights, network or secret in any isolation, or are refused. */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDocuments } from "../../../adapters/sidecar/documents.ts";
import { readOrNull, readProcesses } from "../../../sidecar/cage/processes.ts";
import { type ClaimedUser, claimUser } from "../../../sidecar/cage/users.ts";
import { startBudget } from "../../../sidecar/documents/budget.ts";
import { documentOf } from "../../contracts/documents/suite.ts";
import { killSidecars, type RunningSidecar, SECRET, startSidecar, runProgram } from "../cage/program.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";

vi.setConfig({ testTimeout: 90_000 });
const isRoot = process.getuid?.() === 0;
const claimed: ClaimedUser[] = [];

afterEach(async () => {
  for (const user of claimed.splice(0)) user.release();
  await killSidecars();
});

async function read({ url }: RunningSidecar, name: string) {
  const bytes = readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));
  return await openDocuments(connectSidecar(url, SECRET), "t1").read(documentOf(name, bytes));
}

/** What the kernel says of the process that waits for the next document (proc_pid_status(5)). */
function converterOf(sidecar: RunningSidecar): Readonly<Record<string, string>> {
  const own = readProcesses().filter(
    ({ pid }) => readOrNull(`/proc/${pid}/cmdline`)?.includes("pandoc-child") === true,
  );
  const ours = own.filter(({ pid }) => descendsFrom(pid, sidecar.process.pid ?? 0));
  // The last one is the converter; those above it build its cage and wait for it.
  const status = readOrNull(`/proc/${ours.at(-1)?.pid ?? 0}/status`) ?? "";
  return Object.fromEntries([...status.matchAll(/^(\w+):\t(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

function descendsFrom(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; at = Number(/^PPid:\t(\d+)/m.exec(readOrNull(`/proc/${at}/status`) ?? "")?.[1] ?? 0))
    if (at === ancestor) return true;
  return false;
}

describe.each(isRoot ? ["bubblewrap", "container"] : ["bubblewrap"])("a sidecar of the isolation %s", (level) => {
  it("reads and converts documents in unprivileged processes", async () => {
    const sidecar = await startSidecar({ OTTO_SCRIPT_ISOLATION: level });
    for (const name of ["report.docx", "report.pdf", "figures.xlsx", "slides.pptx"])
      expect(await read(sidecar, name), name).toMatchObject({ ok: true });
    const { Uid = "", CapEff, CapPrm, NoNewPrivs, Seccomp } = converterOf(sidecar);
    expect({ CapEff, CapPrm, NoNewPrivs, Seccomp }).toEqual({
      CapEff: "0".repeat(16),
      CapPrm: "0".repeat(16),
      NoNewPrivs: "1",
      Seccomp: "2",
    });
    if (isRoot) expect(Number(Uid.split("\t")[0])).toBeGreaterThanOrEqual(61_000);
  });

  it("gives programs no network and no secret", async () => {
    const sidecar = await startSidecar({ OTTO_SCRIPT_ISOLATION: level });
    const port = new URL(sidecar.url).port;
    const reach = `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 2); print("REACHED")'`;
    const steal = `cat /proc/*/environ /proc/*/task/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a ${SECRET}`;
    const ran = await runProgram(sidecar, `${reach}; ${steal}; echo over`);
    expect(ran.stdout).toBe("over\n");
  });
});

it.skipIf(!isRoot)(
  "where the container is the boundary, a program that may use the network has none and says why (skipped because only root can change users)",
  async () => {
    const sidecar = await startSidecar({ OTTO_SCRIPT_ISOLATION: "container" });
    const ran = await runProgram(sidecar, "curl --silent --max-time 2 http://127.0.0.1:1/ || exit 7", {
      network: ["*"],
    });
    expect(ran).toMatchObject({ exitCode: 7, stderr: expect.stringContaining("Programs have no network here") });
    expect(await runProgram(sidecar, "echo fine", { network: ["*"] })).toMatchObject({ exitCode: 0, stderr: "" });
  },
);

it("without isolation no document is read, and the failure says what is missing", async () => {
  const sidecar = await startSidecar({ OTTO_SCRIPT_ISOLATION: "none-of-these" });
  for (const name of ["report.docx", "report.pdf"])
    expect(await read(sidecar, name)).toMatchObject({
      ok: false,
      error: {
        code: "not_available",
        message: expect.stringContaining("OTTO_SCRIPT_ISOLATION"),
        happened: "no",
      },
    });
});

it.skipIf(!isRoot)(
  "without a free user no document is read, and the failure is retryable (skipped because only root can change users)",
  async () => {
    const question = { kind: "pdf", pages: null, withImages: false } as const;
    const ask = async () =>
      await readInProcess(Buffer.from("%PDF-1.4"), question, new AbortController().signal, startBudget());
    expect(await ask()).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    for (let user = await claimUser(); user !== null; user = await claimUser()) claimed.push(user);
    expect(await ask()).toMatchObject({ ok: false, error: { code: "rate_limited", retryAfterMs: 1_000 } });
  },
);
