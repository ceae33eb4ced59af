/**
 * The bytes that a sandbox reserves of its tenant's quota: at least the size of its files, usually a little more, so
 * that most writes need no call to the tenant. Each call reserves an absolute amount, so a repeat is harmless.
 */
import type { Result } from "../../core/base/errors.ts";
import type { SandboxTables } from "./tables.ts";

/** Amounts are reserved in steps of this many bytes. */
const STEP_BYTES = 65_536;
/** Minimum bytes of a release. */
const MIN_RELEASE_BYTES = 1_048_576;

export class SandboxReservation {
  private readonly tables: SandboxTables;
  private readonly reserveAtTenant: (bytes: number) => Promise<Result<void>>;
  /** Calls to the tenant run in order: the last one wins. */
  private queue: Promise<unknown> = Promise.resolve();

  /** `reserveAtTenant` calls the tenant. */
  constructor(tables: SandboxTables, reserveAtTenant: (bytes: number) => Promise<Result<void>>) {
    this.tables = tables;
    this.reserveAtTenant = reserveAtTenant;
  }

  getBytes(): number {
    return this.tables.read<{ bytes: number }>("SELECT bytes FROM held")[0]?.bytes ?? 0;
  }

  /** Reserves at least this many bytes. */
  async ensure(bytes: number): Promise<Result<void>> {
    return await this.runInOrder(async () => {
      if (bytes <= this.getBytes()) return { ok: true, value: undefined };
      const step = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
      const held = await this.reserve(step);
      return held.ok || step === bytes ? held : await this.reserve(bytes);
    });
  }

  /** Releases bytes that the files do not need, when they are enough. `needed` is read when its turn comes. */
  async release(needed: () => number): Promise<void> {
    if (!shouldRelease(this.getBytes(), needed())) return;
    await this.runInOrder(async () => {
      const bytes = Math.ceil(needed() / STEP_BYTES) * STEP_BYTES;
      if (!shouldRelease(this.getBytes(), bytes)) return;
      // Stored here first: a concurrent write then has to reserve again.
      this.store(bytes);
      await this.reserveAtTenant(bytes);
    });
  }

  private async reserve(bytes: number): Promise<Result<void>> {
    const held = await this.reserveAtTenant(bytes);
    if (held.ok) this.store(bytes);
    return held;
  }

  private store(bytes: number): void {
    this.tables.change(() => this.tables.write("UPDATE held SET bytes = ?", bytes));
  }

  private async runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const before = this.queue;
    const mine = (async () => {
      await before.catch(() => undefined);
      return await work();
    })();
    this.queue = mine;
    return await mine;
  }
}

function shouldRelease(held: number, needed: number): boolean {
  return held - needed >= MIN_RELEASE_BYTES;
}
