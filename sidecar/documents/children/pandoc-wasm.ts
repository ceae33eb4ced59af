/**
 * Runs pandoc as a WebAssembly module, with files in memory, without a network, and with a memory limit that the engine enforces.
 */
import { readFile } from "node:fs/promises";
import { Directory, File, Inode, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import { boundMemory } from "./wasm-memory.ts";

/** The result of one conversion. `written` holds the created files by path. */
export interface PandocRun {
  /** pandoc's error output. Empty on success. */
  readonly errors: string;
  /** Its messages, as JSON. */
  readonly messages: string;
  readonly written: ReadonlyMap<string, Uint8Array>;
}

export interface Pandoc {
  /** `options` are those of pandoc's defaults files. Throws if pandoc crashed; then it cannot be used again. */
  run(options: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Uint8Array>): PandocRun;
}

/** The used part of `WebAssembly`, which Node's types lack. */
interface Engine {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ readonly exports: unknown }>;
}
const { WebAssembly: engine } = globalThis as unknown as { readonly WebAssembly: Engine };

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  __wasm_call_ctors(): void;
  malloc(bytes: number): number;
  free?(address: number): void;
  hs_init_with_rtsopts(countAddress: number, valuesAddress: number): void;
  convert(address: number, bytes: number): void;
}

const POINTER_BYTES = 4;
/** Files of the module that are neither output nor pictures. */
const OWN_FILES = ["stdin", "stdout", "stderr", "warnings"] as const;

/** `heapMb` limits the Haskell heap of a conversion; `maxPages` limits all memory, in pages of 64 KiB. */
export async function loadPandoc(heapMb: number, maxPages: number): Promise<Pandoc> {
  const wasmUrl = new URL("pandoc.wasm", import.meta.resolve("pandoc-wasm"));
  const module = await engine.compile(boundMemory(await readFile(wasmUrl), maxPages));
  const args = ["pandoc.wasm", "+RTS", "-H64m", `-M${heapMb}m`, "-RTS"];
  const root = new Map<string, Inode>();
  const silent = () => new OpenFile(new File(new Uint8Array()));
  const stderr = new File(new Uint8Array());
  const wasi = new WASI(args, [], [silent(), silent(), new OpenFile(stderr), new PreopenDirectory("/", root)], {
    debug: false,
  });
  const instance = await engine.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
  const pandoc = instance.exports as Exports;
  wasi.initialize(instance as unknown as Parameters<WASI["initialize"]>[0]);
  pandoc.__wasm_call_ctors();
  startRuntime(pandoc, args);
  return {
    run(options, files) {
      try {
        return run(pandoc, root, options, files);
      } catch (cause) {
        throw new Error(`pandoc crashed: ${decodeFile(stderr)}`, { cause });
      }
    },
  };
}

/** Passes the arguments as C does: a count, and addresses of zero-terminated texts. */
function startRuntime(pandoc: Exports, args: readonly string[]): void {
  const count = pandoc.malloc(POINTER_BYTES);
  const list = pandoc.malloc(POINTER_BYTES * (args.length + 1));
  const values = pandoc.malloc(POINTER_BYTES);
  const texts = args.map((arg) => copyIn(pandoc, Buffer.from(`${arg}\0`)));
  const view = new DataView(pandoc.memory.buffer);
  view.setUint32(count, args.length, true);
  for (const [index, address] of [...texts, 0].entries()) view.setUint32(list + POINTER_BYTES * index, address, true);
  view.setUint32(values, list, true);
  pandoc.hs_init_with_rtsopts(count, values);
}

function copyIn(pandoc: Exports, bytes: Uint8Array): number {
  const address = pandoc.malloc(bytes.length);
  new Uint8Array(pandoc.memory.buffer).set(bytes, address);
  return address;
}

function run(
  pandoc: Exports,
  root: Map<string, Inode>,
  options: Readonly<Record<string, unknown>>,
  files: ReadonlyMap<string, Uint8Array>,
): PandocRun {
  root.clear();
  for (const name of OWN_FILES) root.set(name, new File(new Uint8Array()));
  for (const [name, bytes] of files) root.set(name, new File(bytes, { readonly: true }));
  const order = Buffer.from(JSON.stringify(options));
  pandoc.convert(copyIn(pandoc, order), order.length);
  const readOwnFile = (name: (typeof OWN_FILES)[number]) => decodeFile(root.get(name));
  const written = new Map<string, Uint8Array>();
  collect(root, "", (path, bytes) => {
    const isOwn = OWN_FILES.some((name) => name === path);
    if (!isOwn && !files.has(path)) written.set(path, bytes);
  });
  const result = { errors: readOwnFile("stderr"), messages: readOwnFile("warnings"), written };
  root.clear();
  return result;
}

function collect(
  folder: ReadonlyMap<string, Inode>,
  prefix: string,
  take: (path: string, bytes: Uint8Array) => void,
): void {
  for (const [name, inode] of folder) {
    if (inode instanceof Directory) collect(inode.contents, `${prefix}${name}/`, take);
    else if (inode instanceof File) take(prefix + name, inode.data);
  }
}

function decodeFile(inode: Inode | undefined): string {
  return inode instanceof File ? Buffer.from(inode.data).toString("utf8") : "";
}
