/**
 * The bytes that a sandbox holds of its tenant's quota: never fewer than its files have, and mostly a few more, so that not
 * every write has to ask the tenant. What it asks is the whole amount that it wants to hold, so asking twice does no harm.
 */
import type { Result } from "../../core/base/errors.ts";
import type { SandboxTables } from "./tables.ts";

/** Amounts are held in steps of this many bytes. */
const STEP_BYTES = 65_536;
/** What is given back is at least this much. */
const GIVE_BACK_BYTES = 1_048_576;

export class SandboxHold {
  private readonly tables: SandboxTables;
  private readonly hold: (bytes: number) => Promise<Result<void>>;
  /** The tenant is asked one thing after the other: what it heard last is what holds. */
  private turn: Promise<unknown> = Promise.resolve();

  /** `hold` asks the tenant. */
  constructor(tables: SandboxTables, hold: (bytes: number) => Promise<Result<void>>) {
    this.tables = tables;
    this.hold = hold;
  }

  bytes(): number {
    return this.tables.read<{ bytes: number }>("SELECT bytes FROM held")[0]?.bytes ?? 0;
  }

  /** Sees that at least so many bytes are held. */
  async atLeast(bytes: number): Promise<Result<void>> {
    return await this.inTurn(async () => {
      if (bytes <= this.bytes()) return { ok: true, value: undefined };
      const step = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
      const held = await this.ask(step);
      return held.ok || step === bytes ? held : await this.ask(bytes);
    });
  }

  /** Gives back what the files do not need, when it is enough to be worth it. `needed` is asked when its turn has come. */
  async giveBack(needed: () => number): Promise<void> {
    if (!isWorthIt(this.bytes(), needed())) return;
    await this.inTurn(async () => {
      const bytes = Math.ceil(needed() / STEP_BYTES) * STEP_BYTES;
      if (!isWorthIt(this.bytes(), bytes)) return;
      // First here: a write that comes meanwhile has to ask again.
      this.keep(bytes);
      await this.hold(bytes);
    });
  }

  private async ask(bytes: number): Promise<Result<void>> {
    const held = await this.hold(bytes);
    if (held.ok) this.keep(bytes);
    return held;
  }

  private keep(bytes: number): void {
    this.tables.atOnce(() => this.tables.write("UPDATE held SET bytes = ?", bytes));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.turn;
    const mine = (async () => {
      await before.catch(() => undefined);
      return await work();
    })();
    this.turn = mine;
    return await mine;
  }
}

function isWorthIt(held: number, needed: number): boolean {
  return held - needed >= GIVE_BACK_BYTES;
}
