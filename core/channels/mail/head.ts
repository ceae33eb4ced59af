/** Reads the headers of a raw mail. */

/** Bytes to read. */
const MAX_HEAD = 100_000;

/** The headers up to the first empty line, unfolded (RFC 5322, 2.2.3). Other lines are ignored. */
export function readMailHeaders(bytes: Uint8Array): Headers {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, MAX_HEAD));
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const headers = new Headers();
  for (const line of head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const [, name, value = ""] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined && /^[\w!#$%&'*+.^`|~-]+$/.test(name))
      headers.append(name, value.replaceAll(/[^ -ÿ\t]/g, ""));
  }
  return headers;
}
