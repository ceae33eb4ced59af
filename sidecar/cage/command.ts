/** The command that starts a program in its cage. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { CageLimits, Mount } from "./cage.ts";

/** Where the node that runs the sidecar is in the cage. */
export const CAGED_NODE = "/cage/bin/node";
/** Where the program finds its way out, when it has one. */
export const CAGED_FORWARDER = "/cage/lib/forward.ts";
export const CAGED_PROXY = "/cage/run";
export const TMPFS = ["/tmp", "/dev/shm"] as const;

/**
 * Of /etc: what programs need to find libraries, other programs, certificates, fonts and time zones. No file of these holds
 * a secret.
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
/** Of the root: links into /usr on a merged system, else folders. */
const ROOT = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/**
 * Where the first process of a cage says that it is there, hears that it may go on, and with which environment, and says how the program
 * ended. Only the first process has it while the program runs.
 */
export const GO_FD = 5;

/**
 * The first process of the cage: it waits for the program, says how that ended, and ends, with which the kernel ends all the others. Before
 * that it makes sure that somebody still wants it: until it runs, the death of the sidecar does not reach into the cage. When
 * the machine has no memory left, the kernel ends programs first, and not the sidecar.
 */
const INIT = [
  "/bin/sh",
  "-c",
  `exec 9>&2 2>&${GO_FD}; echo 1000 >/proc/self/oom_score_adj; echo here >&${GO_FD}; read -r go <&${GO_FD} || exit 1; ` +
    `(exec "$@" 2>&9 9>&-); code=$?; echo "ended $code" >&${GO_FD}; exit $code`,
  "init",
];
/**
 * The first process says how the program ended. A shell also says, on its own standard error, which signal ended a program, and nothing of
 * one that exited; in a subshell, that is not the program's.
 */
const ENDED = /^ended \d+$/m;
const FIRST_BY_SIGNAL = 128;
const BY_SIGNAL = /\b(?:Killed|Terminated)\b/;

/**
 * Whether something outside ended the program: a signal that this sidecar did not send, or one that ended the first process itself.
 * `said`: all that the first process said. `exitCode`: the cage's; null when a signal ended it.
 */
export function isEndedFromOutside(said: string, exitCode: number | null): boolean {
  // The cage could not be built, unless a signal ended it meanwhile.
  if (said === "") return exitCode === null || exitCode > FIRST_BY_SIGNAL;
  return !ENDED.test(said) || BY_SIGNAL.test(said);
}

/**
 * What the program's own environment is set by, last of all: a variable such as LD_PRELOAD is a program by itself, and before this
 * it would run without the limits, or as root. It comes as commands, since everybody can read the arguments of a process.
 */
const SET_ENVIRONMENT = ["/bin/sh", "-c", `eval "$(cat <&${GO_FD})"; exec ${GO_FD}<&-; exec "$@"`, "sh"] as const;

/** The environment of a cage, to which the program's own comes when it begins. */
export const CAGE_ENV: Readonly<Record<string, string>> = {
  PATH: "/cage/bin:/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

/** The program, after its environment is set. */
export function withEnvironment(argv: readonly string[]): readonly [string, ...string[]] {
  return [...SET_ENVIRONMENT, ...argv];
}

/** What the first process hears: that it may go on, and the commands that set the program's environment. */
export function goWith(env: Readonly<Record<string, string>>): string {
  const quoted = (value: string) => `'${value.replaceAll("'", String.raw`'\''`)}'`;
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return `go\n${lines.join("")}`;
}

/**
 * Makes what is started the first that the kernel ends when the machine has no memory left; what root starts cannot change
 * that. All that may run at once can take more than there is, and the sidecar is not what has to go.
 */
export function firstToGo(choom: string | null): readonly string[] {
  return choom === null ? [] : [choom, "-n", "1000", "--"];
}

/** Changes the user to one that has nothing; null: this process may not change it, and the program has its user. */
export function asUser(setpriv: string, uid: number | null): readonly string[] {
  if (uid === null) return [];
  return [setpriv, `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--inh-caps=-all", "--no-new-privs", "--"];
}

/** What takes system calls away where bubblewrap does not. `installer`: a program of Perl's that does it. */
export function withFilter(perl: string, installer: string, filter: string): readonly string[] {
  return [perl, "-e", installer, filter];
}

/** The program below its first process, under limits that it cannot raise. */
export function limited(prlimit: string, limits: CageLimits, argv: readonly string[]): readonly string[] {
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

/** bubblewrap with all that it is told but the program. `etc`: files of ours, by their names below /etc. */
export function bubblewrap(
  bwrap: string,
  given: {
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
    ["--info-fd", `${given.infoFd}`, "--seccomp", `${given.filterFd}`],
    systemFolders(),
    etcFiles(given.etc),
    ["--proc", "/proc", "--dev", "/dev"],
    ...TMPFS.map((path) => ["--perms", "1777", "--size", `${given.tmpBytes}`, "--tmpfs", path]),
    ["--perms", "0755", "--dir", "/cage"],
    ...given.mounts.map(({ from, at, writable }) => [writable ? "--bind" : "--ro-bind", from, at]),
    // What bubblewrap made itself is memory of the cage's user.
    ["--remount-ro", "/dev", "--remount-ro", "/"],
    ["--chdir", given.cwd],
    ...Object.entries(CAGE_ENV).map(([name, value]) => ["--setenv", name, value]),
    ["--"],
  ].flat();
}

function systemFolders(): string[] {
  const rest = ROOT.filter((name) => existsSync(`/${name}`)).flatMap((name) =>
    lstatSync(`/${name}`).isSymbolicLink()
      ? ["--symlink", readlinkSync(`/${name}`), `/${name}`]
      : ["--ro-bind", `/${name}`, `/${name}`],
  );
  return ["--ro-bind", "/usr", "/usr", ...rest];
}

function etcFiles(ours: ReadonlyMap<string, string>): string[] {
  const python = readdirSync("/etc").filter((name) => PYTHON.test(name));
  return [
    ...[...ETC, ...python].flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...[...ours].flatMap(([name, path]) => ["--ro-bind", path, `/etc/${name}`]),
  ];
}
