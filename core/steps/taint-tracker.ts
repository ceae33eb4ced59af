/**
 * Tracks what one call reads, so that its result, and every file that it writes, has the joined label. The tracker
 * wraps the ports of a tool, so no tool can omit a label.
 *
 * 1. The label begins with the call's context, which wrote the arguments.
 * 2. It is only raised: by the tool's declaration (`yields`) and by each file, result or memory that it reads.
 * 3. A file or directory gets the label at the time of the write.
 * 4. A call that read uploads, and no other authors' text, yields the upload's text.
 */
import type { CodebasesPort } from "../ports/codebases.ts";
import type { KnowledgePort } from "../ports/knowledge-search.ts";
import type { MemoryPort } from "../ports/memory.ts";
import type { FileEntry, FilesPort } from "../ports/files.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { ResultsPort } from "../ports/results.ts";
import type { ScriptsPort } from "../ports/scripts.ts";
import type { Tool } from "../tool/tool.ts";
import { joinLabels, type Label, OUTSIDE, TENANT } from "../provenance/label.ts";

/** Ports that return text from outside. A tool that needs one yields `outside` unless it declares otherwise. */
const OUTSIDE_PORTS: ReadonlySet<keyof ToolPorts> = new Set(["web", "search", "mcp", "apps", "mail", "ssh"]);

/** The label of an entry. Absent from a sandbox of an earlier release. */
type Labelled = Partial<Pick<FileEntry, "label" | "isUploaded">>;

export class TaintTracker {
  private joined: Label;
  private hasUpload = false;
  private hasOthers = false;

  constructor(context: Label) {
    this.joined = context;
  }

  /** The current label of the call's result and writes. */
  get label(): Label {
    return this.joined;
  }

  /** Whether the call read uploads and nothing else. */
  get readUploadsOnly(): boolean {
    return this.hasUpload && !this.hasOthers;
  }

  join(label: Label): void {
    this.joined = joinLabels(this.joined, label);
  }

  /** Joins the label of a text that is not an upload. */
  private joinOther(label: Label): void {
    this.hasOthers = true;
    this.join(label);
  }

  /** Joins the label that the tool declares. */
  begin(tool: Pick<Tool, "yields" | "needs">): void {
    const yields = tool.yields ?? (tool.needs.some((need) => OUTSIDE_PORTS.has(need)) ? "outside" : "own");
    if (yields !== "own") this.join(yields === "tenant" ? TENANT : OUTSIDE);
  }

  /** Wraps the ports for the call. */
  watch(ports: ToolPorts): ToolPorts {
    const { codebases, files, knowledge, memory, results, scripts } = ports;
    return {
      ...ports,
      codebases: this.watchCodebases(codebases),
      files: this.watchFiles(files),
      knowledge: this.watchKnowledge(knowledge),
      memory: this.watchMemory(memory),
      results: this.watchResults(results),
      scripts: this.watchScripts(scripts),
    };
  }

  /** A program without network knows only the files that it was given. */
  private watchScripts(scripts: ScriptsPort): ScriptsPort {
    return {
      ...scripts,
      run: async (request) => {
        this.joinOther(request.network === null ? this.joined : OUTSIDE);
        return await scripts.run(request);
      },
    };
  }

  /** Nobody vouches for what files of code say. */
  private watchCodebases(codebases: CodebasesPort): CodebasesPort {
    return {
      ...codebases,
      search: async (request) => {
        const found = await codebases.search(request);
        if (found.ok && found.value.hits.length > 0) this.joinOther(OUTSIDE);
        return found;
      },
    };
  }

  private watchKnowledge(knowledge: KnowledgePort): KnowledgePort {
    return {
      ...knowledge,
      search: async (request) => {
        const found = await knowledge.search(request);
        if (found.ok) for (const { piece } of found.value.hits) this.joinOther(piece.label);
        return found;
      },
      read: async (piece) => {
        const read = await knowledge.read(piece);
        if (read.ok) for (const { label } of read.value) this.joinOther(label);
        return read;
      },
      readImage: async (piece) => {
        this.joinOther(piece.label);
        return await knowledge.readImage(piece);
      },
    };
  }

  private watchMemory(memory: MemoryPort): MemoryPort {
    return {
      search: async (request) => {
        const found = await memory.search(request);
        if (found.ok) for (const hit of found.value.hits) this.joinOther(hit.memory.label);
        return found;
      },
      save: async (note) => await memory.save({ ...note, label: joinLabels(note.label, this.label) }),
    };
  }

  private watchResults(results: ResultsPort): ResultsPort {
    return {
      ...results,
      read: async (callId) => {
        const read = await results.read(callId);
        if (read.ok) this.joinOther(await results.getLabel(callId));
        return read;
      },
    };
  }

  private watchFiles(files: FilesPort): FilesPort {
    const read = ({ label = TENANT, isUploaded }: Labelled) => {
      if (isUploaded !== true) return this.joinOther(label);
      this.hasUpload = true;
      this.join(label);
    };
    return {
      stat: (path) => files.stat(path),
      read: async (path, maxBytes) => {
        const found = await files.read(path, maxBytes);
        if (found.ok) read(found.value.entry);
        return found;
      },
      open: async (path, version) => {
        const found = await files.open(path, version);
        if (found.ok) read(found.value.entry);
        return found;
      },
      readEntry: async (entry) => {
        read(entry);
        return await files.readEntry(entry);
      },
      // File names are text too: the writer chose them.
      list: async (path) => {
        const listed = await files.list(path);
        if (listed.ok) listed.value.forEach(read);
        return listed;
      },
      walk: async (directory, after, limit) => {
        const page = await files.walk(directory, after, limit);
        if (page.ok) page.value.files.forEach(read);
        return page;
      },
      versions: (path) => files.versions(path),
      write: async (path, bytes, options) =>
        await files.write(path, bytes, { ...options, label: this.label, isUploaded: false }),
      makeDirectory: async (path, options) => await files.makeDirectory(path, { ...options, label: this.label }),
      remove: (path, options) => files.remove(path, options),
      restore: (path, version, options) => files.restore(path, version, options),
      apply: async (changes, options) => await files.apply(changes, { ...options, label: this.label }),
    };
  }
}
