/** Programs that try to reach what is outside their cage. Each is run bare too, where that is harmless, and then it succeeds. */
import { deepStrictEqual } from "node:assert";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startCaged } from "../../../sidecar/cage/start-caged.ts";
import { type Language, openTestCages, type Remains, type TestCages, getArgv } from "./caged.ts";
import { DEFAULT_LIMITS } from "../../../sidecar/cage/cage.ts";

const SECRET = "canary-of-the-sidecar-9b1f";
const CANARY_FILE = "canary.txt";
/** What a program prints when it got out. */
const OUT = "ESCAPED";

let test: TestCages;
let before: Remains;
let tcp: Server;
let abstract: Server;
let udp: UdpSocket;
let port = 0;
let hits = 0;
let bystander: ChildProcess;

beforeAll(async () => {
  process.env["SIDECAR_SECRET"] = SECRET;
  test = await openTestCages();
  writeFileSync(join(test.folder, CANARY_FILE), SECRET);
  chmodSync(join(test.folder, CANARY_FILE), 0o644);
  tcp = createServer((socket) => {
    hits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  port = (tcp.address() as AddressInfo).port;
  abstract = createServer((socket) => {
    hits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => abstract.listen({ path: `\0otto-test-${port}` }, resolve));
  udp = createSocket("udp4").on("message", () => {
    hits += 1;
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  bystander = spawn("sleep", ["600"], { env: { OWN: SECRET } });
});

afterAll(async () => {
  bystander.kill("SIGKILL");
  for (const server of [tcp, abstract]) server.close();
  udp.close();
  await test.close();
  delete process.env["SIDECAR_SECRET"];
});

beforeEach(async () => {
  hits = 0;
  before = await test.remains();
});

afterEach(async () => {
  deepStrictEqual(await test.remains(), before);
});

async function bare(language: Language, program: string): Promise<string> {
  const [command, ...args] = getArgv(language, program);
  const known = language === "node" ? process.execPath : command;
  const { stdout } = await promisify(execFile)(known, args, { env: { ...process.env, SIDECAR_SECRET: SECRET } });
  return stdout;
}

it("is a cage that these programs are in", () => {
  expect(test.cages.isolation).toMatchObject({ level: "bubblewrap" });
});

const SCAN_ENVIRONMENTS = `
import glob
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/task/*/environ") + ["/proc/1/environ", "/proc/self/../1/environ"]:
    try:
        if b"${SECRET}" in open(path, "rb").read(): print("${OUT}", path)
    except OSError: pass
`;

describe("what belongs to others", () => {
  it("is not in any environment that a program can read", async () => {
    expect(await bare("python3", SCAN_ENVIRONMENTS)).toContain(OUT);
    const run = await test.run("python3", SCAN_ENVIRONMENTS);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, "", ""]);
    const own = await test.run("sh", "env; cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'");
    expect(new Set(own.stdout.match(/^\w+(?==)/gm))).toEqual(new Set(["PATH", "HOME", "TMPDIR", "LANG", "PWD"]));
  });

  it("is in no file that a program can find: not the sidecar's, not another job's, not the machine's", async () => {
    const look = (folder: string) =>
      `grep -rls ${SECRET} ${folder} && echo ${OUT}; cat /proc/1/root${folder}/${CANARY_FILE} && echo ${OUT}; true`;
    expect(await bare("sh", look(test.folder))).toContain(OUT);
    const other = await test.run("sh", "sleep 0.2; true", { env: { OWN: SECRET } });
    const run = await test.run("sh", look(test.folder));
    expect([other.exitCode, run.exitCode, run.stdout]).toEqual([0, 0, ""]);
    const seen = await test.run(
      "sh",
      "ls -a / /home /root /var /run /srv /opt /sys /boot 2>/dev/null; ls -a /tmp /cage /etc",
    );
    expect(seen.stdout).not.toMatch(
      /\b(home|root|var|run|srv|opt|sys|boot|shadow|gitconfig|hostname|resolv.conf|otto-)\b/,
    );
  });

  it("cannot be killed, traced or even named", async () => {
    const run = await test.run(
      "python3",
      `
import ctypes, os
for pid in [${process.pid}, ${bystander.pid ?? 0}]:
    try:
        os.kill(pid, 0); print("${OUT} kill", pid)
    except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
for pid in list(range(1, 50)) + [${process.pid}]:
    if pid != os.getpid() and libc.ptrace(16, pid, 0, 0) == 0: print("${OUT} ptrace", pid)
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[-1] < 20)
`,
    );
    expect([run.stdout, run.exitCode]).toEqual(["True\n", 0]);
    expect(bystander.exitCode).toBeNull();
  });

  it("is not reached by another job that runs at the same time", async () => {
    const victim = await startCaged(test.cages, {
      argv: getArgv("sh", `echo ${SECRET} > /tmp/own; echo ${SECRET} > /dev/shm/own; sleep 30`),
      cwd: "/tmp",
      env: { OWN: SECRET },
      mounts: [],
      limits: DEFAULT_LIMITS,
      network: null,
    });
    const run = await test.run(
      "sh",
      `grep -rs ${SECRET} /tmp /dev/shm /proc/[0-9]*/environ && echo ${OUT}; kill -9 -1; echo still`,
    );
    expect(run.stdout).not.toContain(OUT);
    if (!victim.ok) throw new Error(victim.error.message);
    const first = await Promise.race([victim.value.ended, new Promise((resolve) => setTimeout(resolve, 200, "lives"))]);
    expect(first).toBe("lives");
    await victim.value.kill("the test is over");
  });
});

describe("a program's environment", () => {
  it("begins with the program, and not with what shuts it in and sets its limits", async () => {
    // The loader tells of each program that it begins, on its stderr.
    const run = await test.run("sh", "exec /bin/true", { env: { LD_DEBUG: "files" } });
    const begun = [...run.stderr.matchAll(/initialize program: (\S+)/g)].map(([, program]) => program);
    expect(begun).toEqual(["sh", "/bin/true"]);
  });

  it("comes as it is, whatever is in it", async () => {
    const env = {
      QUOTES: `'it''s' "$(id)" \`id\` $HOME \\`,
      LINES: "one\n\ntwo\n\n",
      EMPTY: "",
      _own: "-n ä",
      PATH: "/usr/bin:/bin",
      LONG: "x".repeat(30_000),
    };
    const program = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k != 'PWD'}))";
    const argv = ["/usr/bin/python3", "-c", program] as const;
    const run = await test.run("python3", "", { argv, env, maxOutputBytes: 100_000 });
    expect(JSON.parse(run.stdout)).toEqual({ HOME: "/tmp", TMPDIR: "/tmp", LANG: "C.UTF-8", ...env });
    const proxied = await test.run("python3", "", {
      argv,
      env: { ...env, NODE_OPTIONS: "--no-such-option" },
      network: { hosts: [], egress: test.egress },
      maxOutputBytes: 100_000,
    });
    expect(JSON.parse(proxied.stdout)).toMatchObject({ ...env, HTTP_PROXY: expect.stringContaining("127.0.0.1") });
  });
});

describe("the machine", () => {
  it.each([
    ["sh", "echo x > /usr/bin/planted || echo x > /planted || echo x > /etc/planted || echo x > /dev/planted"],
    ["sh", "echo x > /skill/planted || echo x > /cage/bin/node || echo x > /cage/planted"],
    ["sh", "unshare --user --map-root-user true || unshare --mount true || mount -t tmpfs none /tmp"],
    ["sh", "mknod disk b 254 0 || mknod memory c 1 1"],
    ["sh", "echo 1 > /proc/sys/kernel/core_pattern || echo b > /proc/sysrq-trigger || echo x > /proc/1/oom_score_adj"],
    ["sh", "cp /bin/sh ./sh && chmod 4755 ./sh && test \"$(./sh -p -c 'id -u')\" = 0"],
    ["sh", "su -c id || sudo -n id || setpriv --reuid 0 true || chroot / true"],
    ["python3", "import os; os.setuid(0)"],
    ["python3", "import ctypes, sys; sys.exit(0 if ctypes.CDLL(None).shmget(0, 4096, 0o1600) >= 0 else 1)"],
    ["python3", "import ctypes, sys; sys.exit(0 if ctypes.CDLL(None).syscall(250, 0, -3, 1) >= 0 else 1)"],
    ["python3", "import ctypes, sys; sys.exit(0 if ctypes.CDLL(None).klogctl(10, None, 0) >= 0 else 1)"],
    ["python3", "import socket; socket.socket(40, socket.SOCK_STREAM)"],
    ["python3", "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"],
    ["python3", "import os; os.open('/proc/kcore', os.O_RDONLY)"],
    ["python3", "import resource as r; r.setrlimit(r.RLIMIT_NPROC, (10_000, 10_000))"],
  ] as const)("is not changed by %s: %s", async (language, program) => {
    const run = await test.run(language, program);
    expect(run.exitCode).not.toBe(0);
    expect(run.exitCode).not.toBeNull();
    expect(existsSync("/usr/bin/planted")).toBe(false);
  });
});

describe("the network", () => {
  const REACH = `
import socket
def attempt(what, family, kind, place):
    s = socket.socket(family, kind)
    s.settimeout(1)
    try:
        s.connect(place)
        s.send(b"x")
        print("${OUT}", what)
    except OSError: pass
attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT))
attempt("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\\0otto-test-PORT")
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"x", ("127.0.0.1", PORT))
`;
  const reach = () => REACH.replaceAll("PORT", String(port));

  it("is not there: no listener of the machine hears anything", async () => {
    await bare("python3", reach());
    await expect.poll(() => hits, { timeout: 15_000 }).toBe(3);
    hits = 0;
    const run = await test.run("python3", reach());
    expect([run.exitCode, run.stdout, hits]).toEqual([0, "", 0]);
  });

  it.each([
    ["sh", "curl -s --max-time 2 http://93.184.215.14/"],
    ["python3", "import socket; socket.create_connection(('93.184.215.14', 80), 2)"],
    ["python3", "import socket; socket.create_connection(('169.254.169.254', 80), 2)"],
    ["python3", "import socket; socket.getaddrinfo('example.com', 80)"],
    ["python3", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53))"],
    ["node", "fetch('http://93.184.215.14/').then(() => process.exit(0), () => process.exit(1))"],
    ["node", "require('dns').lookup('example.com', (error) => process.exit(error === null ? 0 : 1))"],
  ] as const)("is not there for %s: %s", async (language, program) => {
    expect((await test.run(language, program)).exitCode).not.toBe(0);
  });

  it("has an own loopback that works", async () => {
    const program = `const s = require('net').createServer((c) => c.end('hi')).listen(0, '127.0.0.1', () => require('net').connect(s.address().port, '127.0.0.1').on('data', (d) => { console.log(String(d)); process.exit(0); }))`;
    expect((await test.run("node", program)).stdout).toBe("hi\n");
  });
});

describe("a program's children", () => {
  it.each([
    ["sh", "nohup sleep 300 >/dev/null 2>&1 & exit 0"],
    ["sh", "setsid sleep 300 & exit 0"],
    ["sh", "(setsid sh -c 'trap \"\" TERM HUP INT; while true; do sleep 1; done' &) ; exit 0"],
    [
      "python3",
      "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    time.sleep(300)\n  os._exit(0)",
    ],
    ["node", "require('child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref()"],
  ] as const)("end with it: %s: %s", async (language, program) => {
    const run = await test.run(language, program);
    expect([run.exitCode, run.timedOut]).toEqual([0, false]);
  });

  it("end when its time is over, and so does one that ignores every signal", async () => {
    const program = "trap '' TERM HUP INT QUIT; (setsid sleep 300 &); sleep 300 & wait; sleep 300";
    const run = await test.run("sh", program, {}, { wallMs: 400 });
    expect([run.exitCode, run.timedOut]).toEqual([null, true]);
    expect(readdirSync("/proc").length).toBeGreaterThan(0);
  });

  it("end when the caller has gone away before the start", async () => {
    const gone = AbortSignal.abort();
    const runs = await Promise.all([1, 2, 3].map(() => test.run("sh", "sleep 300", { signal: gone })));
    expect(runs.map(({ exitCode, timedOut }) => [exitCode, timedOut])).toEqual([1, 2, 3].map(() => [null, false]));
  });
});
