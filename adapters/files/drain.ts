/** Whether a deployment drains the tasks, as this isolate knows. */
import { DRAIN_KEY, getDrainLeftMs } from "../../core/steps/drain.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** Maximum age of that knowledge. */
const READ_EVERY_MS = 3000;

/** The part of the bucket that is read. */
interface Marks {
  head(key: string): Promise<{ readonly uploaded: Date } | null>;
}

export class Drain {
  private readonly bucket: Marks;
  private readonly clock: Clock;
  private writtenAt: number | null = null;
  private readAt: number | null = null;

  constructor(bucket: Marks, clock: Clock) {
    this.bucket = bucket;
    this.clock = clock;
  }

  /**
   * Returns how long no model phase may start, in ms; 0 if one may. Only the first call of an isolate waits for the
   * bucket. An unavailable bucket blocks nothing.
   */
  async leftMs(): Promise<number> {
    const now = this.clock.now();
    if (this.readAt === null) await this.read(now);
    else if (now - this.readAt >= READ_EVERY_MS) void this.read(now);
    return getDrainLeftMs(this.writtenAt, now);
  }

  private async read(now: number): Promise<void> {
    this.readAt = now;
    try {
      this.writtenAt = (await this.bucket.head(DRAIN_KEY))?.uploaded.getTime() ?? null;
    } catch (thrown) {
      console.error("the mark of a deployment could not be read", thrown);
    }
  }
}
