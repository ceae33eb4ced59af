/** What a person picked or dropped, as the body of an upload: an archive, a SKILL.md, or the files of a folder. */

/** A file with its path in what was picked. */
export interface PickedFile {
  readonly path: string;
  readonly file: File;
}

export interface PickedSkill {
  /** What it is called on the page. */
  readonly title: string;
  readonly size: number;
  readonly body: Blob | FormData;
  readonly headers: Readonly<Record<string, string>>;
}

/** The largest body that the API takes. */
const MAX_BYTES = 10_500_000;
const MAX_FILES = 200;

/** The upload that these files make, or why they make none. */
export function pickedSkill(files: readonly PickedFile[]): PickedSkill | string {
  const [first] = files;
  if (first === undefined) return "Nothing was picked.";
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (size > MAX_BYTES) return "That is more than 10 MB, the most that a skill may have.";
  const isAlone = files.length === 1 && !first.path.includes("/");
  if (isAlone && /\.(?:zip|skill)$/i.test(first.path))
    return { title: first.path, size, body: first.file, headers: { "content-type": "application/zip" } };
  if (isAlone && /\.(?:md|markdown)$/i.test(first.path))
    return { title: first.path, size, body: first.file, headers: { "content-type": "text/markdown" } };
  if (!files.some(({ path }) => /(?:^|\/)SKILL\.md$/.test(path)))
    return "There is no SKILL.md in it. Pick the skill's folder, a ZIP archive of it, or a SKILL.md.";
  if (files.length > MAX_FILES) return `That is ${files.length} files. A skill has at most ${MAX_FILES}.`;
  const form = new FormData();
  for (const { path, file } of files) form.append("files", file, path);
  const folder = first.path.includes("/") ? (first.path.split("/")[0] ?? "") : "";
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  return { title: folder === "" ? count : `${folder} (${count})`, size, body: form, headers: {} };
}

/** The files of an input, each by its path in the folder that was chosen. */
export function filesOfInput(list: FileList): PickedFile[] {
  return [...list].map((file) => ({
    path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
    file,
  }));
}

/** The files that were dropped, with those of every folder among them. */
export async function filesOfDrop(dropped: DataTransfer): Promise<PickedFile[]> {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map(async (entry) => await filesOfEntry(entry)));
  return found.flat();
}

async function filesOfEntry(entry: FileSystemEntry): Promise<PickedFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  if (!isFolder(entry)) return [];
  const files: PickedFile[] = [];
  const reader = entry.createReader();
  // A reader gives a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0 || files.length > MAX_FILES) return files;
    for (const one of some) files.push(...(await filesOfEntry(one)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
