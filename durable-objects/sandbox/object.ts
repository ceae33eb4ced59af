/**
 * The object of one sandbox: the index of its files. Their bytes are in R2 by hash; `adapters/files` stores them there
 * first.
 */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import { holdStorageFromEnv } from "../../adapters/env/sandboxes.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";
import type {
  ChangeOptions,
  DirectoryEntry,
  FileEntry,
  FilePage,
  FileVersion,
  WrittenFile,
} from "../../core/ports/files.ts";
import { type Label, OUTSIDE, TENANT } from "../../core/provenance/label.ts";
import { type ChangeSet, judgeChanges, type SetAdmission } from "../../core/sandbox/change-set.ts";
import { judgeForm, judgeNewPath } from "../../core/sandbox/path.ts";
import {
  listParents,
  judgeDirectory,
  judgeRemoval,
  judgeWrite,
  MAX_WALK_PAGE,
  describeMissingVersion,
  type Totals,
  type SandboxWrite,
  type MadeDirectory,
  type RemovedEntry,
  type WriteAdmission,
} from "../../core/sandbox/write.ts";
import { SandboxReservation } from "./quota.ts";
import { SandboxStore } from "./store.ts";
import { SandboxTables } from "./tables.ts";

export class SandboxObject extends DurableObject<Env> implements SandboxRpc {
  private readonly tables = new SandboxTables(this.ctx.storage);
  private readonly store = new SandboxStore(this.tables);
  private readonly reservation = new SandboxReservation(this.tables, (bytes) => this.reserveAtTenant(bytes));

  async stat(path: string): Promise<Result<FileEntry>> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const entry = this.store.file(form.value);
    return entry === null ? failed("not_found", `File not found: ${path}`) : ok(entry);
  }

  async list(path: string): Promise<Result<readonly DirectoryEntry[]>> {
    const directory = this.judgeDirectoryPath(path);
    return directory.ok ? ok(this.store.listChildren(directory.value)) : directory;
  }

  async walk(path: string, after: string | null, limit: number): Promise<Result<FilePage>> {
    const directory = this.judgeDirectoryPath(path);
    if (!directory.ok) return directory;
    const most = Math.min(limit, MAX_WALK_PAGE);
    const found = this.store.listBelow(directory.value, after, most + 1);
    const files = found.slice(0, most);
    return ok({ files, next: found.length > most ? (files.at(-1)?.path ?? null) : null });
  }

  async versions(path: string): Promise<Result<readonly FileVersion[]>> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const versions = this.store.versions(form.value);
    return versions.length === 0 ? failed("not_found", `File not found: ${path}`) : ok(versions);
  }

  async admit(write: SandboxWrite): Promise<Result<WriteAdmission>> {
    const applied = this.store.findApplied<WrittenFile>(write.key);
    if (applied !== null) return ok({ applied, blobNeeded: false });
    const judged = this.judge(write);
    if (!judged.ok) return judged;
    const held = await this.reservation.ensure(judged.value.bytes);
    return held.ok ? ok({ applied: null, blobNeeded: !this.store.hasBlob(write.hash) }) : held;
  }

  async commit(write: SandboxWrite): Promise<Result<WrittenFile>> {
    // Others may have used the reserved bytes by the time they are granted.
    for (;;) {
      const applied = this.store.findApplied<WrittenFile>(write.key);
      if (applied !== null) return ok(applied);
      const judged = this.judge(write);
      if (!judged.ok) return judged;
      if (judged.value.bytes <= this.reservation.getBytes()) {
        const written = this.store.put(write, judged.value, Date.now());
        await this.release();
        return ok(written);
      }
      const held = await this.reservation.ensure(judged.value.bytes);
      if (!held.ok) return held;
    }
  }

  async makeDirectory(path: string, key: string, label: Label = OUTSIDE): Promise<Result<MadeDirectory>> {
    const form = judgeNewPath(path);
    if (!form.ok) return form;
    const ownKey = `make ${key}`;
    const applied = this.store.findApplied<MadeDirectory>(ownKey);
    if (applied !== null) return ok(applied);
    const isNeeded = judgeDirectory(path, {
      present: this.store.file(path),
      isDirectory: this.store.isDirectory(path),
      fileAbove: this.store.firstFile(listParents(path)),
      made: this.store.madeDirectories(),
    });
    if (!isNeeded.ok) return isNeeded;
    return ok(isNeeded.value ? this.store.makeDirectory(path, ownKey, label, Date.now()) : { made: false });
  }

  async remove(path: string, options: ChangeOptions): Promise<Result<RemovedEntry>> {
    const form = this.judgeStoredForm(path);
    if (!form.ok) return form;
    const ownKey = `remove ${options.key}`;
    const applied = this.store.findApplied<RemovedEntry>(ownKey);
    if (applied !== null) return ok(applied);
    const judged = judgeRemoval(
      { path, ...options },
      {
        present: this.store.file(path),
        isDirectory: this.store.isDirectory(path),
        isEmpty: this.store.isEmpty(path),
      },
    );
    if (!judged.ok) return judged;
    const removed = this.store.removeEntry(path, judged.value, ownKey, Date.now());
    await this.release();
    return ok(removed);
  }

  async restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>> {
    const form = this.judgeStoredForm(path);
    if (!form.ok) return form;
    const known = this.store.versions(path);
    const wanted = known.find((one) => one.version === version);
    const applied = this.store.findApplied<WrittenFile>(`restore ${options.key}`);
    if (applied !== null) return ok(applied);
    if (known.length === 0) return failed("not_found", `File not found: ${path}`);
    if (wanted === undefined) return failed("not_found", describeMissingVersion(path, version));
    const { size, hash, contentType, mode, label = TENANT } = wanted;
    return await this.commit({ ...options, key: `restore ${options.key}`, path, size, hash, contentType, mode, label });
  }

  async admitAll(set: ChangeSet): Promise<Result<SetAdmission>> {
    if (this.store.findApplied(toSetKey(set)) !== null) return ok({ isApplied: true, missing: [] });
    const judged = judgeChanges(set, this.store);
    if (!judged.ok) return judged;
    const held = await this.reservation.ensure(judged.value.bytes);
    if (!held.ok) return held;
    const hashes = new Set(set.writes.map(({ hash }) => hash));
    return ok({ isApplied: false, missing: [...hashes].filter((hash) => !this.store.hasBlob(hash)) });
  }

  async commitAll(set: ChangeSet): Promise<Result<void>> {
    // Others may have used the reserved bytes by the time they are granted.
    for (;;) {
      if (this.store.findApplied(toSetKey(set)) !== null) return ok(undefined);
      const judged = judgeChanges(set, this.store);
      if (!judged.ok) return judged;
      if (judged.value.bytes <= this.reservation.getBytes()) {
        this.store.putAll(set, judged.value, toSetKey(set), Date.now());
        await this.release();
        return ok(undefined);
      }
      const held = await this.reservation.ensure(judged.value.bytes);
      if (!held.ok) return held;
    }
  }

  async revertAll(set: ChangeSet): Promise<Result<void>> {
    const removed = set.removals.map(({ path, ifVersion }) => this.readVersionSize(path, ifVersion));
    const replaced = set.writes.map(({ path, ifVersion }) => this.readVersionSize(path, ifVersion));
    const most = [...removed, ...replaced].reduce((sum, size) => sum + size, this.store.totals().bytes);
    const held = await this.reservation.ensure(most);
    if (!held.ok) return held;
    if (this.store.findApplied(toSetKey(set)) !== null) this.store.revertAll(set, toSetKey(set), Date.now());
    await this.release();
    return ok(undefined);
  }

  async erase(): Promise<void> {
    await this.tables.erase();
    await this.reserveAtTenant(0);
  }

  private judge(write: SandboxWrite): Result<Totals> {
    const form = judgeNewPath(write.path);
    if (!form.ok) return form;
    const { backupPath } = write;
    const backupForm = backupPath === undefined ? form : judgeNewPath(backupPath);
    if (!backupForm.ok) return backupForm;
    const readEntry = (path: string) => ({
      present: this.store.file(path),
      isDirectory: this.store.isDirectory(path),
    });
    return judgeWrite(write, {
      ...readEntry(write.path),
      fileAbove: this.store.firstFile([write.path, backupPath ?? write.path].flatMap(listParents)),
      backup: backupPath === undefined ? null : readEntry(backupPath),
      totals: this.store.totals(),
    });
  }

  /** Validates the path of a stored file, which has to be in NFC. An earlier release may have stored it. */
  private judgeStoredForm(path: string): Result<string> {
    const form = judgeForm(path);
    if (!form.ok || form.value === path) return form;
    return failed("invalid_input", "path: a path must be in NFC", { field: "path" });
  }

  /** Validates the path of an existing directory; "" is the root. */
  private judgeDirectoryPath(path: string): Result<string> {
    if (path === "") return ok("");
    const form = judgeForm(path);
    if (!form.ok || this.store.isDirectory(form.value)) return form;
    return failed("not_found", `Directory not found: ${path}`);
  }

  private readVersionSize(path: string, version: number): number {
    return this.store.versions(path).find((one) => one.version === version)?.size ?? 0;
  }

  /** Releases unneeded bytes. A failure is made up for by the next change. */
  private async release(): Promise<void> {
    await this.reservation.release(() => this.store.totals().bytes).catch(() => undefined);
  }

  private async reserveAtTenant(bytes: number): Promise<Result<void>> {
    return await holdStorageFromEnv(this.env, this.ctx.id.name, bytes);
  }
}

/** The key of a change set, distinct from the keys of other changes. */
function toSetKey({ key }: ChangeSet): string {
  return `apply ${key}`;
}
