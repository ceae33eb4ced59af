/** The object of one sandbox: the index of its files. The bytes are in R2, by hash; `adapters/files` puts them there first. */
import { DurableObject } from "cloudflare:workers";
import { clockFromEnv, type Env } from "../adapters/from-env.ts";
import { failed, ok, type Result } from "../core/errors.ts";
import type { SandboxRpc, SandboxWrite } from "../core/objects.ts";
import type { DirectoryEntry, FileEntry } from "../core/ports.ts";
import { judgeForm } from "../core/sandbox/path.ts";
import { directoriesAbove, judgeWrite } from "../core/sandbox/write.ts";
import { SandboxStore } from "./sandbox-store.ts";

export class SandboxObject extends DurableObject<Env> implements SandboxRpc {
  private readonly store = new SandboxStore(this.ctx.storage);
  private readonly clock = clockFromEnv(this.env);

  async stat(path: string): Promise<Result<FileEntry>> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const entry = this.store.file(form.value);
    return entry === null ? failed("not_found", `File not found: ${path}`) : ok(entry);
  }

  async list(path: string): Promise<Result<readonly DirectoryEntry[]>> {
    const form = path === "" ? ok("") : judgeForm(path);
    if (!form.ok) return form;
    const entries = this.store.children(form.value);
    if (entries.length === 0 && path !== "") return failed("not_found", `Directory not found: ${path}`);
    return ok(entries);
  }

  async admit(
    write: SandboxWrite,
  ): Promise<Result<{ readonly applied: FileEntry | null; readonly blobNeeded: boolean }>> {
    const applied = this.store.applied(write.key);
    if (applied !== null) return ok({ applied, blobNeeded: false });
    const judged = this.judge(write);
    return judged.ok ? ok({ applied: null, blobNeeded: !this.store.hasBlob(write.hash) }) : judged;
  }

  async commit(write: SandboxWrite): Promise<Result<FileEntry>> {
    const applied = this.store.applied(write.key);
    if (applied !== null) return ok(applied);
    const judged = this.judge(write);
    return judged.ok ? ok(this.store.put(write, this.clock.now())) : judged;
  }

  async erase(): Promise<void> {
    await this.store.erase();
  }

  private judge(write: SandboxWrite): Result<void> {
    const form = judgeForm(write.path);
    if (!form.ok) return form;
    if (form.value !== write.path) return failed("invalid_input", "path: a path must be in NFC", { field: "path" });
    return judgeWrite(write, {
      present: this.store.file(write.path),
      isDirectory: this.store.isDirectory(write.path),
      fileAbove: this.store.firstFile(directoriesAbove(write.path)),
      totals: this.store.totals(),
    });
  }
}
