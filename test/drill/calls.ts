/** Tool calls of scripted models, and the requests that recorders receive from them. */

/** A call of a script. `path` is the path of its request at the recorder. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly effect: "none" | "keyed" | "once" | "file";
  readonly path: string | null;
}

/** The task's name in its calls, and the URLs of the recorders with and without idempotency keys. */
export interface CallScene {
  readonly drill: string;
  readonly keyed: string;
  readonly unkeyed: string;
}

/** A request to a recorder. A GET may be repeated at either one. */
export function httpCall(
  { drill, keyed, unkeyed }: CallScene,
  { kind, method, step, index }: { kind: "keyed" | "once"; method: string; step: number; index: number },
): ScriptedCall {
  const path = `/${drill}/${kind}/${step}/${index}`;
  const reading = method === "GET";
  const url = (kind === "keyed" ? keyed : unkeyed) + path;
  return {
    name: "http_request",
    arguments: { url, method, ...(reading ? {} : { body: { step, index } }) },
    effect: reading ? "none" : kind,
    path,
  };
}

/** Writes `notes/{name}.md`. */
export function writeCall(drill: string, name: string): ScriptedCall {
  const filename = notePath(name);
  return { name: "write_file", arguments: { filename, content: fileText(drill, name) }, effect: "file", path: null };
}

/** A call without an effect. */
export function plainCall(name: string, given: Readonly<Record<string, unknown>>): ScriptedCall {
  return { name, arguments: given, effect: "none", path: null };
}

/** Returns the path of `writeCall`'s file. */
export function notePath(name: string): string {
  return `notes/${name}.md`;
}

/** Returns its content. */
export function fileText(drill: string, name: string): string {
  return `${drill} wrote ${name}\n${"0123456789".repeat(20)}\n`;
}

/** Returns the files that these calls write, by path. */
export function getFiles(calls: readonly ScriptedCall[]): Record<string, string> {
  const written = calls.filter(({ effect }) => effect === "file");
  return Object.fromEntries(
    written.map(({ arguments: { filename, content } }) => [String(filename), String(content)] as const),
  );
}
