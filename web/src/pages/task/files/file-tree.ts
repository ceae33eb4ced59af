/** Files by their paths, as folders. */

export interface FileFolder<File> {
  /** The folder's own name; empty for the top. */
  readonly name: string;
  /** With a slash at its end; empty for the top. */
  readonly path: string;
  readonly folders: readonly FileFolder<File>[];
  readonly files: readonly File[];
}

interface Growing<File> {
  readonly name: string;
  readonly path: string;
  readonly folders: Map<string, Growing<File>>;
  readonly files: File[];
}

/** Folders and files stand in the order of their names, numbers in them by their size. */
export function foldersOf<File extends { readonly path: string }>(files: readonly File[]): FileFolder<File> {
  const top: Growing<File> = { name: "", path: "", folders: new Map(), files: [] };
  for (const file of files) {
    let folder = top;
    for (const name of file.path.split("/").slice(0, -1)) {
      const inner = folder.folders.get(name) ?? { name, path: `${folder.path}${name}/`, folders: new Map(), files: [] };
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.files.push(file);
  }
  return sorted(top);
}

const names = new Intl.Collator("en", { numeric: true });

function sorted<File extends { readonly path: string }>({
  name,
  path,
  folders,
  files,
}: Growing<File>): FileFolder<File> {
  return {
    name,
    path,
    folders: [...folders.values()].toSorted((a, b) => names.compare(a.name, b.name)).map(sorted),
    files: files.toSorted((a, b) => names.compare(a.path, b.path)),
  };
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
