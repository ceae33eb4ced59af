/** What a file is, by its name: how it is called, and how it can be shown. */

export type FileView = "text" | "markdown" | "csv" | "json" | "image" | "pdf" | "none";

interface FileKind {
  readonly word: string;
  readonly view: FileView;
  /** The type that an image is given: the file's own says nothing here. */
  readonly imageType?: string;
}

const NOT_KNOWN: FileKind = { word: "File", view: "text" };

const KINDS: readonly (readonly [extensions: string, kind: FileKind])[] = [
  ["md markdown mdx", { word: "Markdown", view: "markdown" }],
  ["csv", { word: "CSV", view: "csv" }],
  ["tsv", { word: "TSV", view: "csv" }],
  ["json geojson", { word: "JSON", view: "json" }],
  ["png", { word: "PNG image", view: "image", imageType: "image/png" }],
  ["jpg jpeg", { word: "JPEG image", view: "image", imageType: "image/jpeg" }],
  ["gif", { word: "GIF image", view: "image", imageType: "image/gif" }],
  ["webp", { word: "WebP image", view: "image", imageType: "image/webp" }],
  ["avif", { word: "AVIF image", view: "image", imageType: "image/avif" }],
  ["bmp", { word: "BMP image", view: "image", imageType: "image/bmp" }],
  ["svg", { word: "SVG image", view: "image", imageType: "image/svg+xml" }],
  ["pdf", { word: "PDF", view: "pdf" }],
  ["txt text log", { word: "Text", view: "text" }],
  ["html htm xhtml", { word: "HTML", view: "text" }],
  ["xml", { word: "XML", view: "text" }],
  ["yaml yml", { word: "YAML", view: "text" }],
  [
    "py ts tsx js mjs cjs jsx sh bash rb go rs java c h cpp cs php sql css toml ini conf tex r lua",
    { word: "Code", view: "text" },
  ],
  ["jsonl ndjson", { word: "JSON lines", view: "text" }],
  ["docx doc odt rtf", { word: "Text document", view: "none" }],
  ["xlsx xls ods", { word: "Spreadsheet", view: "none" }],
  ["pptx ppt odp", { word: "Presentation", view: "none" }],
  ["zip gz tar tgz bz2 xz 7z rar zst", { word: "Archive", view: "none" }],
  ["mp3 wav ogg flac m4a opus", { word: "Sound", view: "none" }],
  ["mp4 mov webm mkv avi", { word: "Video", view: "none" }],
  [
    "bin exe dll so wasm pyc class parquet sqlite db woff woff2 ttf otf ico tif tiff heic",
    { word: "Binary", view: "none" },
  ],
];

const BY_EXTENSION = new Map(
  KINDS.flatMap(([extensions, kind]) => extensions.split(" ").map((extension) => [extension, kind] as const)),
);

/** A name without an ending that says something is tried as text; bytes that are none are told apart then. */
export function fileKind(path: string): FileKind {
  return BY_EXTENSION.get(extensionOf(path)) ?? NOT_KNOWN;
}

/** The extension of a path, in lower case; empty without one. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** Bytes as text: UTF-8, or what a byte order mark says. Null: they are no text. */
export function textOf(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const text = new TextDecoder().decode(bytes);
  if (text.includes("\0")) return null;
  // The last character may be cut; one in fifty that cannot be read means another encoding or none.
  const unread = text.split("\ufffd").length - 1;
  return unread > 1 && unread > text.length / 50 ? null : text;
}
