/**
 * Denies system calls to caged programs by a seccomp filter (seccomp(2), BPF): calls that hold memory or names outside the cage's limits,
 * calls that expose much of the kernel, and socket families that network namespaces do not isolate (a virtual machine's host answers on
 * AF_VSOCK).
 */
import { getOwn } from "../../core/base/own-field.ts";
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly prctl: number;
  readonly denied: readonly (readonly number[])[];
}

/** Identical on all architectures since Linux 5: io_uring_*, pidfd_getfd, open_tree … mount_setattr, memfd_secret. */
const RECENT = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447];

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    prctl: 157,
    denied: [
      [29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71], // shm*, sem*, msg*
      [240, 241, 242, 243, 244, 245], // mq_*
      [101, 103, 310, 311], // ptrace, syslog, process_vm_*
      [248, 249, 250], // add_key, request_key, keyctl
      [298, 321, 323], // perf_event_open, bpf, userfaultfd
      [155, 161, 165, 166, 167, 168, 272, 308], // pivot_root, chroot, mount, umount2, swap*, unshare, setns
      [169, 175, 176, 246, 313, 320], // reboot, *_module, kexec_*
      [300, 301, 303, 304], // fanotify_*, *_by_handle_at
      RECENT,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    prctl: 167,
    denied: [
      [194, 195, 196, 197, 190, 191, 192, 193, 186, 187, 188, 189],
      [180, 181, 182, 183, 184, 185],
      [117, 116, 270, 271],
      [217, 218, 219],
      [241, 280, 282],
      [41, 51, 40, 39, 224, 225, 97, 268],
      [142, 105, 106, 104, 273, 294],
      [262, 263, 264, 265],
      RECENT,
    ],
  },
};

/**
 * AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (which lists a program's own interfaces). Without a network namespace, all but the first would
 * reach the machine's network.
 */
const SOCKET_FAMILIES = { own_network: [1, 2, 10, 16], no_network: [1] } as const;

/** Offsets in the kernel's struct seccomp_data: the call's number, its architecture and its first argument. */
const [AT_NUMBER, AT_ARCHITECTURE, AT_FIRST_ARGUMENT] = [0, 4, 16];
const [LOAD, JUMP_EQUAL, JUMP_NOT_BELOW, RETURN] = [0x20, 0x15, 0x35, 0x06];
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const [PR_SET_SECCOMP, SECCOMP_MODE_FILTER] = [22, 2];
const FAIL = 0x00050000;
/** The first system call number of x86-64's x32 interface. */
const X32 = 0x40000000;

/**
 * Builds a Perl program that installs a filter and executes another program. Its first argument is the filter's file, the others are the
 * program. Perl can make any system call and every Debian has perl-base. It needs `no_new_privs`, which setpriv sets (seccomp(2),
 * prctl(2)). Null if the architecture is unknown.
 */
export function buildFilterInstaller(architecture: string = process.arch): string | null {
  const number = getOwn(ARCHITECTURES, architecture)?.prctl;
  if (number === undefined) return null;
  return [
    'my $path = shift; open(my $file, "<:raw", $path) or die "$!\\n"; local $/; my $filter = <$file>;',
    'my $program = pack("S x![P] P", length($filter) / 8, $filter);',
    `syscall(${number}, ${PR_SET_SECCOMP}, ${SECCOMP_MODE_FILTER}, $program) == 0 or die "$!\\n";`,
    'exec {$ARGV[0]} @ARGV or die "$!\\n"',
  ].join(" ");
}

/** Builds the filter for this machine. Null if its architecture is unknown. */
export function buildSyscallFilter(
  network: keyof typeof SOCKET_FAMILIES = "own_network",
  architecture: string = process.arch,
): Buffer | null {
  const known = getOwn(ARCHITECTURES, architecture);
  if (known === undefined) return null;
  const denied = known.denied
    .flat()
    .flatMap((number) => [encodeInstruction(JUMP_EQUAL, number, 0, 1), encodeInstruction(RETURN, FAIL | EPERM)]);
  const families = SOCKET_FAMILIES[network].flatMap((family) => [
    encodeInstruction(JUMP_EQUAL, family, 0, 1),
    encodeInstruction(RETURN, ALLOW),
  ]);
  return Buffer.concat([
    encodeInstruction(LOAD, AT_ARCHITECTURE),
    encodeInstruction(JUMP_EQUAL, known.audit, 1, 0),
    encodeInstruction(RETURN, KILL_PROCESS),
    encodeInstruction(LOAD, AT_NUMBER),
    encodeInstruction(JUMP_NOT_BELOW, X32, 0, 1),
    encodeInstruction(RETURN, FAIL | ENOSYS),
    ...denied,
    encodeInstruction(JUMP_EQUAL, known.socket, 1, 0),
    encodeInstruction(RETURN, ALLOW),
    encodeInstruction(LOAD, AT_FIRST_ARGUMENT),
    ...families,
    encodeInstruction(RETURN, FAIL | EAFNOSUPPORT),
  ]);
}

/** Encodes a struct sock_filter: the operation, the jumps if true and if false, and the operand. */
function encodeInstruction(code: number, operand: number, whenTrue = 0, whenFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(whenTrue, 2);
  bytes.writeUInt8(whenFalse, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}
