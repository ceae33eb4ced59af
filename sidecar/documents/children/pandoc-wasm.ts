/**
 * pandoc as a WebAssembly module: its files are in memory, it has no network, and its memory has a maximum that the engine
 * holds at every growth.
 */
import { readFile } from "node:fs/promises";
import { Directory, File, Inode, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import { boundMemory } from "./wasm-memory.ts";

/** What one conversion gives. `written`: the files that it made, by their paths. */
export interface PandocRun {
  /** pandoc's words about a failure; empty: there was none. */
  readonly errors: string;
  /** Its messages, as JSON. */
  readonly messages: string;
  readonly written: ReadonlyMap<string, Uint8Array>;
}

export interface Pandoc {
  /** `options` are those of pandoc's defaults files. Throws when pandoc broke down; then it cannot be used again. */
  run(options: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Uint8Array>): PandocRun;
}

/** The part of the engine's `WebAssembly` that is used; Node's types have none of it. */
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
/** Where the module writes what is neither output nor a picture. */
const OWN_FILES = ["stdin", "stdout", "stderr", "warnings"] as const;

/** `heapMb`: of its Haskell heap, beyond which a conversion fails; `maxPages`: of all its memory, in 64 KiB. */
export async function loadPandoc(heapMb: number, maxPages: number): Promise<Pandoc> {
  const place = new URL("pandoc.wasm", import.meta.resolve("pandoc-wasm"));
  const module = await engine.compile(boundMemory(await readFile(place), maxPages));
  const args = ["pandoc.wasm", "+RTS", "-H64m", `-M${heapMb}m`, "-RTS"];
  const root = new Map<string, Inode>();
  const silent = () => new OpenFile(new File(new Uint8Array()));
  const lastWords = new File(new Uint8Array());
  const wasi = new WASI(args, [], [silent(), silent(), new OpenFile(lastWords), new PreopenDirectory("/", root)], {
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
        throw new Error(`pandoc broke down: ${textOf(lastWords)}`, { cause });
      }
    },
  };
}

/** The arguments as C has them: a count, and addresses of texts that end with a zero. */
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
  const own = (name: (typeof OWN_FILES)[number]) => textOf(root.get(name));
  const written = new Map<string, Uint8Array>();
  collect(root, "", (path, bytes) => {
    const isOwn = OWN_FILES.some((name) => name === path);
    if (!isOwn && !files.has(path)) written.set(path, bytes);
  });
  const result = { errors: own("stderr"), messages: own("warnings"), written };
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

function textOf(inode: Inode | undefined): string {
  return inode instanceof File ? Buffer.from(inode.data).toString("utf8") : "";
}
