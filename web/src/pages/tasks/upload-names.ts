/** Where chosen files go in the sandbox of a task. */

/** Bytes of one file; the API takes no larger one. */
export const MAX_FILE_BYTES = 52_428_800;

export interface ChosenFile {
  readonly name: string;
  readonly file: File;
}

/** Adds files under names that none of `chosen` has: of two with one name, the second gets a number. */
export function addFiles(chosen: readonly ChosenFile[], files: readonly File[]): ChosenFile[] {
  const all = [...chosen];
  const names = new Set(chosen.map(({ name }) => name));
  for (const file of files) {
    const name = freeName(file.name, names);
    names.add(name);
    all.push({ name, file });
  }
  return all;
}

/** Those that are too large to be sent. */
export function tooLarge(chosen: readonly ChosenFile[]): ChosenFile[] {
  return chosen.filter(({ file }) => file.size > MAX_FILE_BYTES);
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const [, stem = name, ending = ""] = /^(.*?)(\.[^./]*)?$/s.exec(name) ?? [];
  for (let number = 2; ; number += 1) {
    const next = `${stem} (${number})${ending}`;
    if (!taken.has(next)) return next;
  }
}
