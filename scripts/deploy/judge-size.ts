/** Whether the bundle is small enough to be uploaded, and as small as we want it. Sizes are those of the gzip. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project-command.ts";

/** Of a Worker on Cloudflare's paid plan (https://developers.cloudflare.com/workers/platform/limits/). */
const PLATFORM_MAX_BYTES = 10_000_000;
/** Our own, for the files that every new isolate loads: their size is the time that it takes to start. */
const TARGET_KIB = 810;

export interface SizeVerdict {
  readonly fits: boolean;
  readonly isOverTarget: boolean;
  /** The size beside both limits. */
  readonly line: string;
}

/** `total`: all files of the upload; `start`: those that every new isolate loads. */
export function judgeSize({ total, start }: { readonly total: number; readonly start: number }): SizeVerdict {
  const [totalKib, startKib] = [Math.ceil(total / 1024), Math.ceil(start / 1024)];
  const platformKib = Math.floor(PLATFORM_MAX_BYTES / 1024);
  return {
    fits: total <= PLATFORM_MAX_BYTES,
    isOverTarget: start > TARGET_KIB * 1024,
    line: `${startKib} KiB in gzip at the start; our target is ${TARGET_KIB}. ${totalKib} KiB for the whole upload; Cloudflare takes ${platformKib}`,
  };
}

/** The size that scripts/bundle-worker.mjs measured when wrangler called it. */
export function readStartBytes(): number {
  const { start_gzip_bytes: start } = JSON.parse(readFileSync(join(projectRoot, "dist/worker-size.json"), "utf8")) as {
    readonly start_gzip_bytes: number;
  };
  return start;
}
