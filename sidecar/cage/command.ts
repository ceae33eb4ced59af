/** Builds the command that starts a program in its cage. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { CageLimits, Mount } from "./cage.ts";

/** Path of the sidecar's own node in the cage. */
export const CAGED_NODE = "/cage/bin/node";
/** `python` is python3, as public scripts expect, also where the system has no such name. */
const PYTHON_LINK = "/cage/bin/python";
const PYTHON3 = ["/usr/local/bin/python3", "/usr/bin/python3"];
/** Path of the program that forwards connections to the proxy. */
export const CAGED_FORWARDER = "/cage/lib/forward.ts";
export const CAGED_PROXY = "/cage/run";
export const TMPFS = ["/tmp", "/dev/shm"] as const;

/**
 * Entries of /etc that programs need to find libraries, other programs, certificates, fonts and time zones. No entry holds a
 * secret.
 */
const ETC = [
  "alternatives",
  "ca-certificates",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];
const PYTHON = /^python3(\.\d+)?$/;
/** Folders of the root: links into /usr on a merged system, otherwise real folders. */
const ROOT_FOLDERS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/**
 * The control channel: the first process of a cage reports that it runs, receives the program's environment, and reports the exit code.
 * The program itself does not inherit it.
 */
export const CONTROL_FD = 5;

/**
 * The first process of the cage. It waits for the program, reports its exit code and exits, whereupon the kernel kills the rest. It
 * first waits for the sidecar's message, since the sidecar's death does not end a cage that is still starting. Its OOM score makes the
 * kernel kill programs before the sidecar.
 */
const INIT = [
  "/bin/sh",
  "-c",
  `exec 9>&2 2>&${CONTROL_FD}; echo 1000 >/proc/self/oom_score_adj; echo here >&${CONTROL_FD}; read -r go <&${CONTROL_FD} || exit 1; ` +
    `(exec "$@" 2>&9 9>&-); code=$?; echo "ended $code" >&${CONTROL_FD}; exit $code`,
  "init",
];
/**
 * The first process reports the exit code. Its shell also prints the signal that ended a program to its own standard error, which
 * goes to the control channel.
 */
const ENDED = /^ended \d+$/m;
const SIGNAL_EXIT_BASE = 128;
const BY_SIGNAL = /\b(?:Killed|Terminated)\b/;

/**
 * Whether something outside ended the program: a signal that this sidecar did not send, or one that ended the first process itself.
 * `output` is all that the first process wrote; `exitCode` is the cage's, null after a signal.
 */
export function isEndedFromOutside(output: string, exitCode: number | null): boolean {
  // Without output the cage failed to start, unless a signal ended it.
  if (output === "") return exitCode === null || exitCode > SIGNAL_EXIT_BASE;
  return !ENDED.test(output) || BY_SIGNAL.test(output);
}

/**
 * Sets the program's own environment as the last step, because a variable such as LD_PRELOAD would otherwise run code without the limits
 * or as root. The variables come as commands on the control channel, since every user can read the arguments of a process.
 */
const SET_ENVIRONMENT = [
  "/bin/sh",
  "-c",
  `eval "$(cat <&${CONTROL_FD})"; exec ${CONTROL_FD}<&-; exec "$@"`,
  "sh",
] as const;

/** The base environment of a cage. The program's own variables are added to it. */
export const CAGE_ENV: Readonly<Record<string, string>> = {
  PATH: "/cage/bin:/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

/** Sets the program's environment, then runs it. */
export function wrapWithEnvironment(argv: readonly string[]): readonly [string, ...string[]] {
  return [...SET_ENVIRONMENT, ...argv];
}

/** Builds the message to the first process: the permission to continue, and the commands that set the environment. */
export function buildGoMessage(env: Readonly<Record<string, string>>): string {
  const quote = (value: string) => `'${value.replaceAll("'", String.raw`'\''`)}'`;
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}\n`);
  return `go\n${lines.join("")}`;
}

/**
 * Makes the kernel kill the program first when memory runs out; a process that root starts cannot change that. All concurrent programs
 * together may exceed the machine's memory, and the sidecar must survive.
 */
export function buildOomArgs(choom: string | null): readonly string[] {
  return choom === null ? [] : [choom, "-n", "1000", "--"];
}

/** Changes to an unprivileged user. With `uid` null the program runs as this process's user. */
export function buildUserArgs(setpriv: string, uid: number | null): readonly string[] {
  if (uid === null) return [];
  return [setpriv, `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--inh-caps=-all", "--no-new-privs", "--"];
}

/** Installs the system call filter where bubblewrap does not. `installer` is a Perl program. */
export function buildFilterArgs(perl: string, installer: string, filter: string): readonly string[] {
  return [perl, "-e", installer, filter];
}

/** Runs the program below the first process, under limits that it cannot raise. */
export function buildLimitedArgs(prlimit: string, limits: CageLimits, argv: readonly string[]): readonly string[] {
  const cpu = limits.cpuSeconds === null ? [] : [`--cpu=${limits.cpuSeconds}`];
  return [
    ...INIT,
    prlimit,
    ...cpu,
    `--data=${limits.memoryBytes * 2}`,
    `--nproc=${limits.processes}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    "--core=0",
    "--memlock=65536",
    "--msgqueue=0",
    "--",
    ...argv,
  ];
}

/** Builds the bubblewrap command without the program. `etc` holds our files by their names below /etc. */
export function buildBubblewrapArgs(
  bwrap: string,
  options: {
    readonly etc: ReadonlyMap<string, string>;
    readonly mounts: readonly Mount[];
    readonly cwd: string;
    readonly tmpBytes: number;
    readonly infoFd: number;
    readonly filterFd: number;
  },
): readonly string[] {
  return [
    [bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"],
    ["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "cage", "--clearenv", "--cap-drop", "ALL"],
    ["--info-fd", `${options.infoFd}`, "--seccomp", `${options.filterFd}`],
    listSystemMounts(),
    listEtcMounts(options.etc),
    ["--proc", "/proc", "--dev", "/dev"],
    ...TMPFS.map((path) => ["--perms", "1777", "--size", `${options.tmpBytes}`, "--tmpfs", path]),
    ["--perms", "0755", "--dir", "/cage"],
    ...options.mounts.map(({ from, at, writable }) => [writable ? "--bind" : "--ro-bind", from, at]),
    linkPython(),
    // bubblewrap's own folders are in memory and would otherwise be writable without a limit.
    ["--remount-ro", "/dev", "--remount-ro", "/"],
    ["--chdir", options.cwd],
    ...Object.entries(CAGE_ENV).map(([name, value]) => ["--setenv", name, value]),
    ["--"],
  ].flat();
}

function listSystemMounts(): string[] {
  const rest = ROOT_FOLDERS.filter((name) => existsSync(`/${name}`)).flatMap((name) =>
    lstatSync(`/${name}`).isSymbolicLink()
      ? ["--symlink", readlinkSync(`/${name}`), `/${name}`]
      : ["--ro-bind", `/${name}`, `/${name}`],
  );
  return ["--ro-bind", "/usr", "/usr", ...rest];
}

function linkPython(): string[] {
  const python = PYTHON3.find((path) => existsSync(path));
  return python === undefined ? [] : ["--symlink", python, PYTHON_LINK];
}

function listEtcMounts(ours: ReadonlyMap<string, string>): string[] {
  const python = readdirSync("/etc").filter((name) => PYTHON.test(name));
  return [
    ...[...ETC, ...python].flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...[...ours].flatMap(([name, path]) => ["--ro-bind", path, `/etc/${name}`]),
  ];
}
