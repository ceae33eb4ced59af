/** Files in folders, with Google Drive's names. */
import { getOwn } from "../../../core/base/own-field.ts";
import {
  CHANGES,
  defineApp,
  DELETES,
  type Given,
  isFound,
  notFound,
  READS,
  readText,
  text,
  upload,
} from "./working-app.ts";

interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly parent: string;
  content: string;
  modifiedTime: string;
  /** Of a file that is no text. */
  readonly bytes?: Uint8Array;
}

interface Drive {
  files: StoredFile[];
  next: number;
}

const FOLDER = "application/vnd.google-apps.folder";

function addFile(
  drive: Drive,
  file: Pick<StoredFile, "name" | "mimeType" | "parent" | "content" | "bytes">,
  now: number,
): StoredFile {
  const added = { id: `file_${drive.next}`, modifiedTime: new Date(now).toISOString(), ...file };
  drive.next += 1;
  drive.files = [...drive.files, added];
  return added;
}

/** A listing has no contents. */
const describe = ({ content, bytes, ...file }: StoredFile) => ({ ...file, size: bytes?.length ?? content.length });

/** The file of an argument in the provider's form. */
function readUpload(given: Given): Given {
  const file = getOwn(given, "file_to_upload");
  return typeof file === "object" && file !== null ? (file as Given) : {};
}

const FILE_ID = { file_id: text("Id of the file.") };

export const FILES = defineApp<Drive>({
  slug: "googledrive",
  title: "Google Drive",
  description: "Files and folders of a team.",
  category: "storage",
  scopes: ["https://www.googleapis.com/auth/drive"],
  begin(now) {
    const drive: Drive = { files: [], next: 1 };
    const { id } = addFile(drive, { name: "Campaigns", mimeType: FOLDER, parent: "root", content: "" }, now);
    addFile(
      drive,
      {
        name: "spring.md",
        mimeType: "text/markdown",
        parent: id,
        content: "# Spring campaign\n\nBudget: 12,000 euros\n",
      },
      now,
    );
    addFile(drive, { name: "team.txt", mimeType: "text/plain", parent: "root", content: "Ana, Tom, Priya\n" }, now);
    return drive;
  },
  actions: [
    {
      slug: "GOOGLEDRIVE_FIND_FILE",
      title: "Find file",
      description: "Finds files and folders by words of their name or content.",
      tags: ["important", ...READS],
      parameters: {
        query: text("Words to search for; empty lists all."),
        folder_id: text("Only files of this folder."),
      },
      required: [],
      run(given, { files }) {
        const folder = readText(given, "folder_id");
        const inFolder = files.filter(({ parent }) => folder === "" || parent === folder);
        return {
          data: {
            files: inFolder
              .filter(({ name, content }) => isFound(readText(given, "query"), name, content))
              .map(describe),
          },
        };
      },
    },
    {
      slug: "GOOGLEDRIVE_GET_FILE_METADATA",
      title: "Get file metadata",
      description: "Reads what a file is called and where it is.",
      tags: READS,
      parameters: FILE_ID,
      required: ["file_id"],
      run: (given, { files }) => {
        const file = files.find(({ id }) => id === readText(given, "file_id"));
        return file === undefined ? notFound("File") : { data: describe(file) };
      },
    },
    {
      slug: "GOOGLEDRIVE_PARSE_FILE",
      title: "Parse file",
      description: "Reads the text of a file.",
      tags: ["important", ...READS],
      parameters: FILE_ID,
      required: ["file_id"],
      run: (given, { files }) => {
        const file = files.find(({ id }) => id === readText(given, "file_id"));
        return file === undefined
          ? notFound("File")
          : { data: { name: file.name, mimeType: file.mimeType, content: file.content } };
      },
    },
    {
      slug: "GOOGLEDRIVE_CREATE_FILE_FROM_TEXT",
      title: "Create file from text",
      description: "Creates a file with the given text.",
      tags: ["important"],
      parameters: {
        file_name: text("Name of the file."),
        text_content: text("Its text."),
        parent_id: text("Id of its folder."),
      },
      required: ["file_name", "text_content"],
      run: (given, drive, now) => ({
        data: describe(
          addFile(
            drive,
            {
              name: readText(given, "file_name"),
              mimeType: "text/plain",
              parent: readText(given, "parent_id") || "root",
              content: readText(given, "text_content"),
            },
            now,
          ),
        ),
      }),
    },
    {
      slug: "GOOGLEDRIVE_UPLOAD_FILE",
      title: "Upload file",
      description: "Uploads a file.",
      tags: ["important"],
      parameters: { file_to_upload: upload("The file."), folder_to_upload_to: text("Id of its folder.") },
      required: ["file_to_upload"],
      run(given, drive, now, storage) {
        const named = readUpload(given);
        const found = storage.find(readText(named, "s3key"));
        if (found === null) return { status: 400, message: "The file was not uploaded" };
        const { mimetype: mimeType, bytes } = found;
        const name = readText(named, "name");
        const parent = readText(given, "folder_to_upload_to") || "root";
        return { data: describe(addFile(drive, { name, mimeType, parent, content: "", bytes }, now)) };
      },
    },
    {
      slug: "GOOGLEDRIVE_DOWNLOAD_FILE",
      title: "Download file",
      description: "Returns a file as it is stored.",
      tags: READS,
      parameters: FILE_ID,
      required: ["file_id"],
      run(given, { files }, _now, storage) {
        const file = files.find(({ id }) => id === readText(given, "file_id"));
        if (file === undefined) return notFound("File");
        const { name, mimeType: mimetype, content, bytes = new TextEncoder().encode(content) } = file;
        return {
          data: { downloaded_file_content: { name, mimetype, s3url: storage.link({ name, mimetype, bytes }) } },
        };
      },
    },
    {
      slug: "GOOGLEDRIVE_CREATE_FOLDER",
      title: "Create folder",
      description: "Creates a folder.",
      tags: [],
      parameters: { folder_name: text("Name of the folder."), parent_id: text("Id of its folder.") },
      required: ["folder_name"],
      run: (given, drive, now) => ({
        data: describe(
          addFile(
            drive,
            {
              name: readText(given, "folder_name"),
              mimeType: FOLDER,
              parent: readText(given, "parent_id") || "root",
              content: "",
            },
            now,
          ),
        ),
      }),
    },
    {
      slug: "GOOGLEDRIVE_EDIT_FILE",
      title: "Edit file",
      description: "Replaces the text of a file.",
      tags: CHANGES,
      parameters: { ...FILE_ID, content: text("The new text.") },
      required: ["file_id", "content"],
      run(given, { files }, now) {
        const file = files.find(({ id }) => id === readText(given, "file_id"));
        if (file === undefined) return notFound("File");
        file.content = readText(given, "content");
        file.modifiedTime = new Date(now).toISOString();
        return { data: describe(file) };
      },
    },
    {
      slug: "GOOGLEDRIVE_GOOGLE_DRIVE_DELETE_FOLDER_OR_FILE_ACTION",
      title: "Delete folder or file",
      description: "Deletes a file, or a folder with its files. It cannot be undone.",
      tags: DELETES,
      parameters: FILE_ID,
      required: ["file_id"],
      run(given, drive) {
        const gone = readText(given, "file_id");
        if (!drive.files.some(({ id }) => id === gone)) return notFound("File");
        drive.files = drive.files.filter(({ id, parent }) => id !== gone && parent !== gone);
        return { data: { success: true } };
      },
    },
  ],
});
